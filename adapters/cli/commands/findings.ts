import type { StorageDiagnosis, StorageMode } from '../../../src/storage/index.ts'

/** What the doctor looks at. */
export type Check =
  | 'reachable'
  | 'primary'
  | 'schema'
  | 'clock'
  | 'rights'
  | 'settings'
  | 'events'
  | 'keys'

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
    clock(diagnosis),
    rights(diagnosis),
    ...settings(diagnosis),
    events(diagnosis),
    keys(diagnosis),
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

/** Clocks that NTP keeps differ by less. */
const TOLERATED_MS = 1_000

function clock({ clockAheadMs: ahead, clockErrorMs: error }: StorageDiagnosis): Finding {
  const check = 'clock'
  const distance = `${(Math.abs(ahead) / 1_000).toFixed(1)} s`
  if (Math.abs(ahead) <= TOLERATED_MS + error) {
    const text = `The clocks of this machine and of the database agree within ${distance}.`
    return { check, state: 'well', text }
  }
  const side = ahead > 0 ? 'behind' : 'ahead of'
  const text = `The clock of this machine is ${distance} ${side} that of the database: synchronise both (NTP).`
  return { check, state: 'wrong', text }
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

function settings({ settings: found }: StorageDiagnosis): readonly Finding[] {
  if (found === undefined) return []
  const check = 'settings'
  if (found.length > 0) return [{ check, state: 'wrong', text: `${found.join('; ')}.` }]
  return [{ check, state: 'well', text: 'The settings of the server keep what was answered.' }]
}

function events({ pendingEvents, sequenceRepair }: StorageDiagnosis): Finding {
  const check = 'events'
  if (sequenceRepair !== null) {
    const text = `New events are queued before earlier ones, or fail: logical replication copies no sequences. Run \`${sequenceRepair}\`.`
    return { check, state: 'wrong', text }
  }
  if (pendingEvents === null) {
    return { check, state: 'unknown', text: 'Events cannot be counted with this role or schema.' }
  }
  const { count, oldestAtMs } = pendingEvents
  const since =
    oldestAtMs === null ? '' : `; the oldest is from ${new Date(oldestAtMs).toISOString()}`
  const text = `${count} ${count === 1 ? 'event has' : 'events have'} not been acknowledged by a relay${since}.`
  return { check, state: 'well', text }
}

function keys({ keys: counts, activeKeyCounts }: StorageDiagnosis): Finding {
  const check = 'keys'
  const { wrong = 0, repaired = 0, repair } = activeKeyCounts ?? {}
  if (wrong > 0) {
    const text = `The limit goes by a wrong count of active keys in ${workspaces(wrong)}: something has changed them past the guards. Run \`${repair}\`.`
    return { check, state: 'wrong', text }
  }
  if (counts === null) {
    return { check, state: 'unknown', text: 'Keys cannot be counted with this role or schema.' }
  }
  const parts = Object.entries(counts).map(([status, count]) => `${count} ${status}`)
  const times = repaired === 1 ? 'once' : `${repaired} times`
  const past =
    repaired === 0 ? '' : ` A count of active keys was too low and was repaired, ${times}.`
  return { check, state: 'well', text: `${parts.join(', ')}.${past}` }
}

function workspaces(count: number): string {
  return `${count} ${count === 1 ? 'workspace' : 'workspaces'}`
}
