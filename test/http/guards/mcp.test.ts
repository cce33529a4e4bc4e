import { expect, test } from 'vitest'
import { loader, runSnippet } from '../../house/run-snippet.ts'
import { fencesIn } from '../../house/snippets.ts'
import { read } from '../../house/sources.ts'
import { ENTRIES } from '../../support/entries.ts'

/* The MCP server of docs/mcp.md, called by the SDK's own client. */

const PAGE = 'docs/mcp.md'
const { code: server } =
  fencesIn(PAGE, read(PAGE)).find(({ code }) => code.includes('McpServer')) ??
  expect.fail('the page has no MCP server')

const CLIENT = `
import { once } from 'node:events'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'

const listener = app.listen(0, '127.0.0.1')
await once(listener, 'listening')
const user = { id: 'u_1', name: 'Noura' }
const fields = { workspaceId: 'ws_1', creator: user, environment: 'live', scopes: ['contacts.read'] }
const { key, secret } = await keys.createKey({ ...fields, name: 'Agent' })
const other = await keys.createKey({ ...fields, name: 'Another agent' })
const url = new URL('http://127.0.0.1:' + listener.address().port + '/mcp')
const bearer = (text) => ({ Authorization: 'Bearer ' + text })
const requestInit = { headers: bearer(secret) }
const transport = new StreamableHTTPClientTransport(url, { requestInit })
const client = new Client({ name: 'agent', version: '1.0.0' })
await client.connect(transport)
const answer = await client.callTool({ name: 'whoami' })
answer.content //=> [{ type: 'text', text: key.id + ' may contacts.read' }]

// The id of a session opens nothing for another key.
const headers = { ...bearer(other.secret), 'Mcp-Session-Id': transport.sessionId }
const stolen = await fetch(url, { headers })
stolen.status //=> 404

await keys.revokeKey({ workspaceId: 'ws_1', id: key.id, actor: user })
const refused = await client.callTool({ name: 'whoami' }).catch((error) => error.code)
refused //=> 401
await client.close()
listener.closeAllConnections()
listener.close()
`

test('tools know the key, and a session ends with it', async () => {
  const shown: [unknown, unknown][] = []
  await runSnippet(`${server}${CLIENT}`, loader(ENTRIES), (...pair) => shown.push(pair))
  expect(shown).toHaveLength(3)
  for (const [actual, expected] of shown) expect(actual).toEqual(expected)
})
