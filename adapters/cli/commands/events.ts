import type { AuditEvent } from '../../../src/index.ts'
import { type Command, workspaceOf } from '../command.ts'
import { json, table } from '../output.ts'
import { checked } from './checked.ts'

const LIMIT = 200

/** `miftah events`: the audit log of a workspace, oldest first. */
export const events: Command = {
  summary: 'list the audit events of a workspace, or of one key',
  needs: ['workspace'],
  takes: ['key'],
  async run({ values, keys, terminal }) {
    const query = { workspaceId: workspaceOf(values), keyId: values.key, limit: LIMIT }
    const found: AuditEvent[] = []
    let cursor: string | null = null
    for (let isFull = true; isFull; ) {
      const page = await checked(() => keys.listEvents({ ...query, cursor }))
      found.push(...page.events)
      cursor = page.nextCursor
      isFull = page.events.length === LIMIT
    }
    await terminal.out(values.json ? json(found) : table(HEADINGS, found.map(eventRow)))
    return undefined
  },
}

const HEADINGS = ['at', 'event', 'key', 'actor', 'name'] as const

function eventRow({ at, type, keyId, actor, data }: AuditEvent): readonly string[] {
  return [at.toISOString(), type, keyId, `${actor.id} (${actor.name})`, data.name]
}
