import type { StorageDiagnosis } from '../../../src/storage/index.ts'
import { faultInWords } from '../../lib/faults/words.ts'
import { type Command, within } from '../command.ts'

export const doctor: Command = {
  summary: 'check the database: schema, rights, events that wait',
  example: 'doctor -d postgres://app@db.internal/app',
  async run({ database, show }) {
    const { storage } = database
    const found = await storage.diagnose(within(10_000)).then(findingsOf, (error: unknown) => ({
      reachable: ['wrong', faultInWords({ operation: 'diagnose', error }).sentence] as const,
    }))
    const findings = Object.entries(found).map(([check, [state, text]]) => ({ check, state, text }))
    const isWell = findings.every(({ state }) => state !== 'wrong')
    const marks = { well: 'ok   ', unknown: '?    ', wrong: 'WRONG' }
    const lines = findings.map((one) => `${marks[one.state]}  ${one.check.padEnd(10)}  ${one.text}`)
    await show({ ok: isWell, findings }, lines.join('\n'))
    return isWell ? 0 : 1
  },
}

/** What there is, and what to do where it is wrong; `unknown`, which is no fault, where the role may not look. */
type Found = readonly [state: 'well' | 'unknown' | 'wrong', text: string]

/** Every finding by what was looked at, in the order in which they should be read. */
export function findingsOf(diagnosis: StorageDiagnosis): Readonly<Record<string, Found>> {
  return {
    reachable: ['well', `${diagnosis.system} answers.`],
    primary: PRIMARY[diagnosis.mode],
    schema: schema(diagnosis),
    rights: rights(diagnosis),
    events: events(diagnosis),
  }
}

const PRIMARY: Readonly<Record<StorageDiagnosis['mode'], Found>> = {
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

function events({ pendingEvents: pending }: StorageDiagnosis): Found {
  if (pending === null) return ['unknown', 'Events cannot be counted with this role or schema.']
  const { count, oldestAtMs: at } = pending
  const oldest = at === null ? '' : `; the oldest is from ${new Date(at).toISOString()}`
  const subject = count === 1 ? 'event has' : 'events have'
  return ['well', `${count} ${subject} not been acknowledged by a relay${oldest}.`]
}
