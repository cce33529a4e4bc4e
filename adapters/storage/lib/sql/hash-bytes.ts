/** A hash is 32 bytes in a database, and 64 lower-case hex digits elsewhere. */
export { bytesToHex as hexOf, hexToBytes as bytesFromHash } from '@noble/hashes/utils.js'
