/** What is wrong and what to do about it; together they form a sentence. */
export interface Cause {
  readonly wrong: string
  readonly advice: string
}

const SETTINGS = 'in the connection settings'
const UNREACHABLE = `the database server cannot be reached; check the host and the port ${SETTINGS}, and the network between`
const NOT_TRUSTED = `the certificate of the database server is not trusted; name its certificate authority ${SETTINGS}`
const SLOW =
  'the database did not answer in time; check that the address is that of the database and that it is not overloaded'

/**
 * What is wrong and what to do, by codes: of Node for connections, SQLSTATE (PostgreSQL, appendix A), SQLite's
 * result codes by name, and those of `StorageError` whose message is not a full sentence.
 */
const TEXTS: Readonly<Record<string, string>> = {
  ENOTFOUND: `the host name of the database server does not exist; check the host ${SETTINGS}`,
  EAI_AGAIN: `the host name of the database server could not be looked up; check the host ${SETTINGS}, and DNS`,
  ECONNREFUSED: `no database server listens at this address; check that it is running, and the host and the port ${SETTINGS}`,
  ENOENT: `a file or socket does not exist; check the path ${SETTINGS}`,
  'ETIMEDOUT EHOSTUNREACH ENETUNREACH': UNREACHABLE,
  'ECONNRESET EPIPE 57P01 57P02':
    'the database server ended the connection; check that it is running; keys work again as soon as it is back',
  'DEPTH_ZERO_SELF_SIGNED_CERT SELF_SIGNED_CERT_IN_CHAIN UNABLE_TO_GET_ISSUER_CERT_LOCALLY UNABLE_TO_VERIFY_LEAF_SIGNATURE ERR_TLS_CERT_ALTNAME_INVALID CERT_HAS_EXPIRED':
    NOT_TRUSTED,
  '3D000': `the database does not exist; create it, or correct its name ${SETTINGS}`,
  '28000': `the database server does not let this role in; create the role or correct its name ${SETTINGS}, and check pg_hba.conf`,
  '28P01': `the database server does not accept the password; check the user and the password ${SETTINGS}`,
  '42501':
    'the database role lacks a privilege; apply the SQL of postgresSchema({ runtimeRole }) as the owner of the database, or use a role that may create a schema',
  '25006': 'the database server is read-only; connect to the primary',
  '53300':
    'the database server takes no more connections; make the pools smaller or raise max_connections',
  '53100': 'the disk of the database server is full; free disk space, or enlarge it',
  '57P03': 'the database server is starting up or shutting down; wait until it is ready',
  timeout: SLOW,
  driver_missing:
    'this runtime has no SQLite; run `npm install @photostructure/sqlite`, or use Node 22.13 or later',
  closed: 'the storage is closed; close it after the last request, and after keys.close()',
  SQLITE_CANTOPEN:
    'SQLite cannot open the file; create its folder, and let this process read and write both',
  SQLITE_READONLY: 'the SQLite file is read-only; let this process write the file and its folder',
  SQLITE_READONLY_DBMOVED:
    'the SQLite file was moved, replaced or deleted while it was open; restart this process',
  'SQLITE_NOTADB SQLITE_CORRUPT':
    'the SQLite file is damaged or is no SQLite database; check its path, or restore it from a backup',
  SQLITE_FULL: 'the disk of the SQLite file is full; free disk space',
  SQLITE_IOERR: 'the disk of the SQLite file failed; check the disk and its file system',
  SQLITE_BUSY:
    'another process holds the lock of the SQLite file; end the transaction that holds it',
}

/** Causes by their code. */
export const CAUSES: ReadonlyMap<string, Cause> = new Map(
  Object.entries(TEXTS).flatMap(([codes, text]) =>
    codes.split(' ').map((code) => [code, causeIn(text)] as const),
  ),
)

/** Failures of drivers that have no code of their own. */
export const CAUSES_BY_MESSAGE: readonly (readonly [RegExp, Cause])[] = [
  [
    /client password must be a (?:non-empty )?string/,
    causeIn(
      `the database server requires a password, and the connection has none; put it ${SETTINGS}`,
    ),
  ],
  [
    /does not support SSL/,
    causeIn(`the database server does not speak TLS; turn TLS off ${SETTINGS}`),
  ],
  [
    /after calling end on the pool/,
    causeIn('the pool was ended; end it after the last request, and after keys.close()'),
  ],
  [/^Connection terminated|timeout exceeded when trying to connect/, causeIn(UNREACHABLE)],
  [/^no answer in \d+ ms$/, causeIn(SLOW)],
]

function causeIn(text: string): Cause {
  const [wrong = '', ...advice] = text.split('; ')
  return { wrong, advice: advice.join('; ') }
}
