import type { StorageDiagnosis, StorageMode } from '../../../src/storage/index.ts'

/** What the doctor looks at. */
export type Check = 'reachable' | 'primary' | 'schema' | 'rights' | 'events'

/** What the doctor found. */
export interface Finding {
  readonly check: Check
  /** `unknown` where the role may not look; that alone is no fault. */
  readonly state: 'well' | 'unknown' | 'wrong'
  /** One line: what there is and, where it is wrong, what to do. */
  readonly text: string
}

/** Every finding, in the order in which they should be read. */
export function findingsOf(diagnosis: StorageDiagnosis): readonly Finding[] {
  return [
    { check: 'reachable', state: 'well', text: `${diagnosis.system} answers.` },
    primary(diagnosis),
    schema(diagnosis),
    rights(diagnosis),
    events(diagnosis),
  ]
}

const MODES: Readonly<Record<StorageMode, Omit<Finding, 'check'>>> = {
  primary: { state: 'well', text: 'The server takes changes.' },
  replica: { state: 'wrong', text: 'The server is a read replica: connect to the primary.' },
  read_only: {
    state: 'wrong',
    text: 'The server is read-only: turn default_transaction_read_only off, or connect to the primary.',
  },
}

function primary({ mode }: StorageDiagnosis): Finding {
  return { check: 'primary', ...MODES[mode] }
}

function schema({ schemaVersion: version, neededVersion: needed }: StorageDiagnosis): Finding {
  const check = 'schema'
  if (version === null) {
    return { check, state: 'unknown', text: 'This role may not read the version of the tables.' }
  }
  if (version === needed) {
    return { check, state: 'well', text: `The tables are at version ${version}.` }
  }
  if (version > needed) {
    const text = `The tables are at version ${version}, but this release only knows versions up to ${needed}: update miftah.`
    return { check, state: 'wrong', text }
  }
  const found = version === 0 ? 'There are no tables' : `The tables are at version ${version}`
  return { check, state: 'wrong', text: `${found}: run \`npx miftah migrate\`.` }
}

function rights({ missingRights, schemaVersion, neededVersion }: StorageDiagnosis): Finding {
  const check = 'rights'
  if (missingRights.length > 0) {
    const text = `This role lacks ${missingRights.join(', ')}: apply the SQL of \`npx miftah migrate --print --runtime-role ROLE\`.`
    return { check, state: 'wrong', text }
  }
  if (schemaVersion !== neededVersion) {
    return { check, state: 'unknown', text: 'Rights are checked once the tables are up to date.' }
  }
  return { check, state: 'well', text: 'This role has every right that it needs.' }
}

function events({ pendingEvents }: StorageDiagnosis): Finding {
  const check = 'events'
  if (pendingEvents === null) {
    return { check, state: 'unknown', text: 'Events cannot be counted with this role or schema.' }
  }
  const { count, oldestAtMs } = pendingEvents
  const since =
    oldestAtMs === null ? '' : `; the oldest is from ${new Date(oldestAtMs).toISOString()}`
  const text = `${count} ${count === 1 ? 'event has' : 'events have'} not been acknowledged by a relay${since}.`
  return { check, state: 'well', text }
}
