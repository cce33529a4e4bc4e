import type { ApiKeys } from '../../../src/index.ts'
import type { Call, Command } from '../command.ts'
import { json } from '../output.ts'
import { UsageError } from '../usage-error.ts'
import { changed } from './checked.ts'

const ERASE_AGAIN = 'A part may be erased: erase it again, until this succeeds.'
const PURGE_AGAIN = 'A part may be deleted: purge again, until this succeeds.'

/** `miftah erase-person ID`. */
export const erasePerson: Command = {
  summary: 'erase a person from all keys and audit events',
  argument: 'ID',
  deletes: true,
  async run(call) {
    const { argument: personId, keys } = call
    const counts = await changed(() => keys.erasePerson({ personId }), ERASE_AGAIN)
    return showCounts(call, counts, 'The person is erased')
  },
}

/** `miftah erase-workspace ID`. */
export const eraseWorkspace: Command = {
  summary: 'revoke and delete all keys of a workspace, and close it',
  argument: 'ID',
  deletes: true,
  async run(call) {
    const { argument: workspaceId, keys } = call
    const counts = await changed(() => keys.eraseWorkspace({ workspaceId }), ERASE_AGAIN)
    return showCounts(call, counts, 'The workspace is erased and closed')
  },
}

/** `miftah purge`: in all workspaces. */
export const purge: Command = {
  summary: 'delete keys that ended, and delivered events, from before a date',
  takes: ['ended-before', 'events-before'],
  deletes: true,
  async run(call) {
    const [endedBefore, eventsBefore] = [
      dateIn(call, 'ended-before'),
      dateIn(call, 'events-before'),
    ]
    if (endedBefore === undefined && eventsBefore === undefined) {
      throw new UsageError('purge needs --ended-before, --events-before or both.')
    }
    const counts = await changed(() => call.keys.purge({ endedBefore, eventsBefore }), PURGE_AGAIN)
    return showCounts(call, counts, 'Purged')
  },
}

/** A date is its midnight in UTC. */
function dateIn({ values }: Call, name: 'ended-before' | 'events-before'): Date | undefined {
  const text = values[name]
  if (text === undefined) return undefined
  const date = new Date(text)
  const isDate =
    /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\dZ)?$/.test(text) && !Number.isNaN(date.getTime())
  // 30 February would become 2 March.
  if (isDate && date.toISOString().startsWith(text.replace('Z', ''))) return date
  throw new UsageError(`--${name} must be in UTC, as 2026-01-31 or 2026-01-31T12:00:00Z.`)
}

async function showCounts(
  { values, terminal }: Call,
  counts: Awaited<ReturnType<ApiKeys['purge']>>,
  what: string,
): Promise<undefined> {
  const { keys, events } = counts
  await terminal.out(values.json ? json(counts) : `${what} (keys: ${keys}, events: ${events}).`)
}
