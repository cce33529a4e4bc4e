import type { StorageDiagnosis, StorageMode } from '../../../src/storage/index.ts'

/** What the doctor looks at. */
export type Check = 'reachable' | 'primary' | 'schema' | 'rights' | 'events'

/** `unknown` where the role may not look; that alone is no fault. */
type State = 'well' | 'unknown' | 'wrong'

/** What the doctor found. */
export interface Finding {
  readonly check: Check
  readonly state: State
  /** One line: what there is and, where it is wrong, what to do. */
  readonly text: string
}

type Found = readonly [state: State, text: string]

/** Every finding, in the order in which they should be read. */
export function findingsOf(diagnosis: StorageDiagnosis): readonly Finding[] {
  const found: Readonly<Record<Check, Found>> = {
    reachable: ['well', `${diagnosis.system} answers.`],
    primary: PRIMARY[diagnosis.mode],
    schema: schema(diagnosis),
    rights: rights(diagnosis),
    events: events(diagnosis),
  }
  return Object.entries(found).map(([check, [state, text]]) => ({
    check: check as Check,
    state,
    text,
  }))
}

const PRIMARY: Readonly<Record<StorageMode, Found>> = {
  primary: ['well', 'The server takes changes.'],
  replica: ['wrong', 'The server is a read replica: connect to the primary.'],
  read_only: [
    'wrong',
    'The server is read-only: turn default_transaction_read_only off, or connect to the primary.',
  ],
}

function schema({ schemaVersion: version, neededVersion: needed }: StorageDiagnosis): Found {
  if (version === null) return ['unknown', 'This role may not read the version of the tables.']
  if (version === 0) return ['wrong', 'There are no tables: run `npx miftah migrate`.']
  const found = `The tables are at version ${version}`
  if (version === needed) return ['well', `${found}.`]
  if (version < needed) return ['wrong', `${found}: run \`npx miftah migrate\`.`]
  return ['wrong', `${found}, but this release only knows versions up to ${needed}: update miftah.`]
}

function rights({ missingRights, schemaVersion, neededVersion }: StorageDiagnosis): Found {
  if (missingRights.length > 0) {
    const mend = 'apply the SQL of `npx miftah migrate --print --runtime-role ROLE`'
    return ['wrong', `This role lacks ${missingRights.join(', ')}: ${mend}.`]
  }
  if (schemaVersion === neededVersion) return ['well', 'This role has every right that it needs.']
  return ['unknown', 'Rights are checked once the tables are up to date.']
}

function events({ pendingEvents }: StorageDiagnosis): Found {
  if (pendingEvents === null) {
    return ['unknown', 'Events cannot be counted with this role or schema.']
  }
  const { count, oldestAtMs } = pendingEvents
  const oldest =
    oldestAtMs === null ? '' : `; the oldest is from ${new Date(oldestAtMs).toISOString()}`
  const subject = count === 1 ? 'event has' : 'events have'
  return ['well', `${count} ${subject} not been acknowledged by a relay${oldest}.`]
}
