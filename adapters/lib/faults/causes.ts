/** What is wrong and what to do about it; together they form a sentence. */
export interface Cause {
  readonly wrong: string
  readonly advice: string
}

const CONNECTION = 'in the connection settings'

const UNREACHABLE: Cause = {
  wrong: 'the database server cannot be reached',
  advice: `check the host and the port ${CONNECTION}, and the network between`,
}

const CUT_OFF: Cause = {
  wrong: 'the database server ended the connection',
  advice: 'check that it is running; keys work again as soon as it is back',
}

const NOT_TRUSTED: Cause = {
  wrong: 'the certificate of the database server is not trusted',
  advice: `name its certificate authority ${CONNECTION}`,
}

const READ_ONLY_SERVER: Cause = {
  wrong: 'the database server is read-only',
  advice: 'connect to the primary',
}

const DAMAGED: Cause = {
  wrong: 'the SQLite file is damaged or is no SQLite database',
  advice: 'check its path, or restore it from a backup',
}

const SLOW: Cause = {
  wrong: 'the database did not answer in time',
  advice: 'check that the address is that of the database and that it is not overloaded',
}

/**
 * Causes by their code: of Node for connections, SQLSTATE (PostgreSQL, appendix A), SQLite's result
 * codes by name, and those of `StorageError` whose message is not a full sentence.
 */
export const CAUSES: ReadonlyMap<string, Cause> = new Map([
  [
    'ENOTFOUND',
    {
      wrong: 'the host name of the database server does not exist',
      advice: `check the host ${CONNECTION}`,
    },
  ],
  [
    'EAI_AGAIN',
    {
      wrong: 'the host name of the database server could not be looked up',
      advice: `check the host ${CONNECTION}, and DNS`,
    },
  ],
  [
    'ECONNREFUSED',
    {
      wrong: 'no database server listens at this address',
      advice: `check that it is running, and the host and the port ${CONNECTION}`,
    },
  ],
  [
    'ENOENT',
    {
      wrong: 'a file or socket does not exist',
      advice: `check the path ${CONNECTION}`,
    },
  ],
  ['ETIMEDOUT', UNREACHABLE],
  ['EHOSTUNREACH', UNREACHABLE],
  ['ENETUNREACH', UNREACHABLE],
  ['ECONNRESET', CUT_OFF],
  ['EPIPE', CUT_OFF],
  ['57P01', CUT_OFF],
  ['57P02', CUT_OFF],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', NOT_TRUSTED],
  ['SELF_SIGNED_CERT_IN_CHAIN', NOT_TRUSTED],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', NOT_TRUSTED],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', NOT_TRUSTED],
  ['ERR_TLS_CERT_ALTNAME_INVALID', NOT_TRUSTED],
  ['CERT_HAS_EXPIRED', NOT_TRUSTED],
  [
    '3D000',
    {
      wrong: 'the database does not exist',
      advice: `create it, or correct its name ${CONNECTION}`,
    },
  ],
  [
    '28000',
    {
      wrong: 'the database server does not let this role in',
      advice: `create the role or correct its name ${CONNECTION}, and check pg_hba.conf`,
    },
  ],
  [
    '28P01',
    {
      wrong: 'the database server does not accept the password',
      advice: `check the user and the password ${CONNECTION}`,
    },
  ],
  [
    '42501',
    {
      wrong: 'the database role lacks a privilege',
      advice:
        'apply the SQL of postgresSchema({ runtimeRole }) as the owner of the database, or use a role that may create a schema',
    },
  ],
  ['25006', READ_ONLY_SERVER],
  [
    '53300',
    {
      wrong: 'the database server takes no more connections',
      advice: 'make the pools smaller or raise max_connections',
    },
  ],
  [
    '53100',
    { wrong: 'the disk of the database server is full', advice: 'free disk space, or enlarge it' },
  ],
  [
    '57P03',
    {
      wrong: 'the database server is starting up or shutting down',
      advice: 'wait until it is ready',
    },
  ],
  ['timeout', SLOW],
  [
    'driver_missing',
    {
      wrong: 'this runtime has no SQLite',
      advice: 'run `npm install @photostructure/sqlite`, or use Node 22.13 or later',
    },
  ],
  [
    'closed',
    {
      wrong: 'the storage is closed',
      advice: 'close it after the last request, and after keys.close()',
    },
  ],
  [
    'SQLITE_CANTOPEN',
    {
      wrong: 'SQLite cannot open the file',
      advice: 'create its folder, and let this process read and write both',
    },
  ],
  [
    'SQLITE_READONLY',
    {
      wrong: 'the SQLite file is read-only',
      advice: 'let this process write the file and its folder',
    },
  ],
  [
    'SQLITE_READONLY_DBMOVED',
    {
      wrong: 'the SQLite file was moved, replaced or deleted while it was open',
      advice: 'restart this process',
    },
  ],
  ['SQLITE_NOTADB', DAMAGED],
  ['SQLITE_CORRUPT', DAMAGED],
  ['SQLITE_FULL', { wrong: 'the disk of the SQLite file is full', advice: 'free disk space' }],
  [
    'SQLITE_IOERR',
    { wrong: 'the disk of the SQLite file failed', advice: 'check the disk and its file system' },
  ],
  [
    'SQLITE_BUSY',
    {
      wrong: 'another process holds the lock of the SQLite file',
      advice: 'end the transaction that holds it',
    },
  ],
])

/** Failures of drivers that have no code of their own. */
export const CAUSES_BY_MESSAGE: readonly (readonly [RegExp, Cause])[] = [
  [
    /client password must be a (?:non-empty )?string/,
    {
      wrong: 'the database server requires a password, and the connection has none',
      advice: `put it ${CONNECTION}`,
    },
  ],
  [
    /does not support SSL/,
    { wrong: 'the database server does not speak TLS', advice: `turn TLS off ${CONNECTION}` },
  ],
  [
    /after calling end on the pool/,
    {
      wrong: 'the pool was ended',
      advice: 'end it after the last request, and after keys.close()',
    },
  ],
  [/^Connection terminated|timeout exceeded when trying to connect/, UNREACHABLE],
  [/^no answer in \d+ ms$/, SLOW],
]
