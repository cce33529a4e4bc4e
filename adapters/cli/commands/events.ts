import type { AuditEvent } from '../../../src/index.ts'
import type { Command } from '../command.ts'
import { checked } from '../errors.ts'
import { table } from '../output.ts'

export const events: Command = {
  summary: 'list the audit events of a workspace, or of one key',
  example: 'events -d keys.db -w ws_1 --key key_V1StGXR8Z5jdHi6BmyT4a',
  needs: ['workspace'],
  takes: ['key'],
  async run({ values, workspaceId, keys, show }) {
    const query = { workspaceId, keyId: values.key, limit: 200 }
    const found: AuditEvent[] = []
    let cursor: string | null = null
    for (let isFull = true; isFull; ) {
      const page = await checked(() => keys.listEvents({ ...query, cursor }))
      found.push(...page.events)
      cursor = page.nextCursor
      isFull = page.events.length === query.limit
    }
    return show(found, table(['at', 'event', 'key', 'actor', 'name'], found.map(rowOf)))
  },
}

function rowOf({ at, type, keyId, actor, data }: AuditEvent): readonly string[] {
  return [at.toISOString(), type, keyId, `${actor.id} (${actor.name})`, data.name]
}
