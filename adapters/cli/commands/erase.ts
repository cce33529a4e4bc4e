import type { Call, Command } from '../command.ts'
import { checked, UsageError } from '../errors.ts'
import type { Show } from '../output.ts'

export const erasePerson: Command = {
  summary: 'erase a person from all keys and audit events',
  example: 'erase-person u_1 -d keys.db --yes',
  argument: '<ID>',
  needs: ['yes'],
  run: ({ argument: personId, keys, show }) =>
    deleting(show, 'The person is erased', () => keys.erasePerson({ personId })),
}

export const eraseWorkspace: Command = {
  summary: 'revoke and delete all keys of a workspace, and close it',
  example: 'erase-workspace ws_1 -d keys.db --yes',
  argument: '<ID>',
  needs: ['yes'],
  run: ({ argument: workspaceId, keys, show }) =>
    deleting(show, 'The workspace is erased and closed', () =>
      keys.eraseWorkspace({ workspaceId }),
    ),
}

export const purge: Command = {
  summary: 'delete keys that ended, and delivered events, from before a date',
  example: 'purge -d keys.db --ended-before 2026-01-31 --yes',
  needs: ['yes'],
  takes: ['endedBefore', 'eventsBefore'],
  async run({ values, keys, show }) {
    const endedBefore = dateIn('--ended-before', values.endedBefore)
    const eventsBefore = dateIn('--events-before', values.eventsBefore)
    if (endedBefore === undefined && eventsBefore === undefined) {
      throw new UsageError('purge needs --ended-before, --events-before or both.')
    }
    return deleting(show, 'Purged', () => keys.purge({ endedBefore, eventsBefore }))
  },
}

/** A date is its midnight in UTC. */
function dateIn(option: string, text: string | undefined): Date | undefined {
  if (text === undefined) return undefined
  const date = new Date(text)
  const isDate =
    /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\dZ)?$/.test(text) && !Number.isNaN(date.getTime())
  // 30 February would become 2 March.
  if (isDate && date.toISOString().startsWith(text.replace('Z', ''))) return date
  throw new UsageError(`${option} must be in UTC, as 2026-01-31 or 2026-01-31T12:00:00Z.`)
}

async function deleting(show: Show, done: string, work: () => ReturnType<Call['keys']['purge']>) {
  const advice = 'A part may be gone: run it again, until this succeeds.'
  const counts = await checked(work, advice)
  return show(counts, `${done} (keys: ${counts.keys}, events: ${counts.events}).`)
}
