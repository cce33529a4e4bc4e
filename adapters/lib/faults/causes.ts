/** What is wrong and what to do about it; together they form a sentence. */
export interface Cause {
  readonly wrong: string
  readonly advice: string
}

const SETTINGS = 'in the connection settings'

/**
 * What is wrong and what to do, by what an error shows: a code of Node, an SQLSTATE (PostgreSQL, appendix A), an error
 * name of MySQL, a code of `StorageError`, SQLite's result code by name or number (sqlite.org/rescode.html), or, with a
 * space in it, a part of the message: drivers have no code for some failures. The first row that fits counts.
 */
const TEXTS: Readonly<Record<string, string>> = {
  ENOTFOUND: `the host name of the database server does not exist; check the host ${SETTINGS}`,
  EAI_AGAIN: `the host name of the database server could not be looked up; check the host ${SETTINGS}, and DNS`,
  ECONNREFUSED: `no database server listens at this address; check that it is running, and the host and the port ${SETTINGS}`,
  ENOENT: `a file or socket does not exist; check the path ${SETTINGS}`,
  'ECONNRESET|EPIPE|57P01|57P02':
    'the database server ended the connection; check that it is running; keys work again as soon as it is back',
  'DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_GET_ISSUER_CERT_LOCALLY|UNABLE_TO_VERIFY_LEAF_SIGNATURE|ERR_TLS_CERT_ALTNAME_INVALID|CERT_HAS_EXPIRED': `the certificate of the database server is not trusted; name its certificate authority ${SETTINGS}`,
  '3D000|ER_BAD_DB_ERROR': `the database does not exist; create it, or correct its name ${SETTINGS}`,
  '28000': `the database server does not let this role in; create the role or correct its name ${SETTINGS}, and check pg_hba.conf`,
  '28P01|ER_ACCESS_DENIED_ERROR|ER_ACCESS_DENIED_NO_PASSWORD_ERROR': `the database server does not accept the password; check the user and the password ${SETTINGS}`,
  '42501':
    'the database role lacks a privilege; apply the SQL of postgresSchema({ runtimeRole }) as the owner of the database, or use a role that may create a schema',
  '25006': 'the database server is read-only; connect to the primary',
  '53300':
    'the database server takes no more connections; make the pools smaller or raise max_connections',
  '53100': 'the disk of the database server is full; free disk space, or enlarge it',
  '57P03': 'the database server is starting up or shutting down; wait until it is ready',
  driver_missing:
    'this runtime has no SQLite; run `npm install @photostructure/sqlite`, or use Node 22.13 or later',
  closed: 'the storage is closed; close it after the last request, and after keys.close()',
  'SQLITE_CANTOPEN|14|unable to open database file':
    'SQLite cannot open the file; create its folder, and let this process read and write both',
  'SQLITE_READONLY_DBMOVED|1032':
    'the SQLite file was moved, replaced or deleted while it was open; restart this process',
  'SQLITE_READONLY|8|attempt to write a readonly database':
    'the SQLite file is read-only; let this process write the file and its folder',
  'SQLITE_CORRUPT|11|database disk image is malformed|SQLITE_NOTADB|26|file is not a database':
    'the SQLite file is damaged or is no SQLite database; check its path, or restore it from a backup',
  'SQLITE_FULL|13|database or disk is full': 'the disk of the SQLite file is full; free disk space',
  'SQLITE_IOERR|10|disk I/O error':
    'the disk of the SQLite file failed; check the disk and its file system',
  'SQLITE_BUSY|5|database is locked':
    'another process holds the lock of the SQLite file; end the transaction that holds it',
  'client password must be a ': `the database server requires a password, and the connection has none; put it ${SETTINGS}`,
  'does not support SSL': `the database server does not speak TLS; turn TLS off ${SETTINGS}`,
  'after calling end on the pool':
    'the pool was ended; end it after the last request, and after keys.close()',
  'ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|Connection terminated|timeout exceeded when trying to connect': `the database server cannot be reached; check the host and the port ${SETTINGS}, and the network between`,
  'timeout|no answer in ':
    'the database did not answer in time; check that the address is that of the database and that it is not overloaded',
}

/** The cause of an error, where it is known. */
export function causeOf(error: unknown): Cause | undefined {
  const row = Object.entries(TEXTS).find(([signs]) =>
    signs.split('|').some((sign) => fits(error, sign)),
  )
  if (row === undefined) return undefined
  const [wrong = '', ...advice] = row[1].split('; ')
  return { wrong, advice: advice.join('; ') }
}

function fits(error: unknown, sign: string): boolean {
  const { code, errcode, message } = Object(error)
  if (sign.includes(' ')) return typeof message === 'string' && message.includes(sign)
  // An extended result code of SQLite has the primary one in its last byte, or begins with its name.
  if (typeof errcode === 'number') return sign === `${errcode}` || sign === `${errcode & 0xff}`
  return code === sign || (sign.startsWith('SQLITE') && `${code}`.startsWith(`${sign}_`))
}
