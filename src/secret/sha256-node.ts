import * as crypto from 'node:crypto'

// The whole module, since an import of a name that is not there is a SyntaxError without a reason.
const { hash } = crypto
if (hash === undefined) throw new Error('miftah needs Node 20.19 or later.')

/** SHA-256 (FIPS 180-4) of a text's UTF-8 bytes as 64 lower-case hex digits, by the runtime. */
export function sha256Hex(text: string): string {
  return hash('sha256', text, 'hex')
}
