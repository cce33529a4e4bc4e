import { expect, test } from 'vitest'
import { loader, runSnippet } from '../../house/run-snippet.ts'
import { fencesIn } from '../../house/snippets.ts'
import { read } from '../../house/sources.ts'
import { ENTRIES } from '../../support/entries.ts'

/* The programs of docs/mcp.md, called by clients whose key is revoked. */

const PAGE = 'docs/mcp.md'
const codeWith = (word: string) =>
  fencesIn(PAGE, read(PAGE)).find(({ code }) => code.includes(word))?.code ??
  expect.fail(`the page has no code with ${word}`)

const KEYS = `
import { once } from 'node:events'
const user = { id: 'u_1', name: 'Noura' }
const fields = { workspaceId: 'ws_1', creator: user, environment: 'live', scopes: ['contacts.read'] }
const { key, secret } = await keys.createKey({ ...fields, name: 'Agent' })
const bearer = (text) => ({ Authorization: 'Bearer ' + text })
const revoke = () => keys.revokeKey({ workspaceId: 'ws_1', id: key.id, actor: user })
`

const OPEN = `${KEYS}
import { WebSocket } from 'ws'
server.listen(0, '127.0.0.1')
await once(server, 'listening')
const { port } = server.address()
const stream = await fetch('http://127.0.0.1:' + port + '/changes', { headers: bearer(secret) })
stream.status //=> 200
const client = new WebSocket('ws://127.0.0.1:' + port)
await once(client, 'open')
client.send(secret)
const [greeting] = await once(client, 'message')
String(greeting) //=> 'welcome'
const closed = once(client, 'close')
await revoke()
const [code] = await closed
code //=> 4401
const ended = await stream.text().catch(() => 'cut off')
ended //=> 'cut off'
server.close()
`

const MCP = `${KEYS}
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
const listener = app.listen(0, '127.0.0.1')
await once(listener, 'listening')
const url = new URL('http://127.0.0.1:' + listener.address().port + '/mcp')
const requestInit = { headers: bearer(secret) }
const transport = new StreamableHTTPClientTransport(url, { requestInit })
const client = new Client({ name: 'agent', version: '1.0.0' })
await client.connect(transport)
const answer = await client.callTool({ name: 'whoami' })
answer.content //=> [{ type: 'text', text: key.id + ' may contacts.read' }]

// The id of a session opens nothing for another key.
const other = await keys.createKey({ ...fields, name: 'Another agent' })
const headers = { ...bearer(other.secret), 'Mcp-Session-Id': transport.sessionId }
const stolen = await fetch(url, { headers })
stolen.status //=> 404
await revoke()
const refused = await client.callTool({ name: 'whoami' }).catch((error) => error.code)
refused //=> 401
await client.close()
listener.closeAllConnections()
listener.close()
`

test.each([
  ['streams and sockets end', `${codeWith('WebSocketServer').replace('30_000', '20')}${OPEN}`, 4],
  ['a session of MCP ends, and its tools know the key', `${codeWith('McpServer')}${MCP}`, 3],
])('%s with the key', async (_name, code, count) => {
  const shown: [unknown, unknown][] = []
  await runSnippet(code, loader(ENTRIES), (...pair) => shown.push(pair))
  expect(shown).toHaveLength(count)
  for (const [actual, expected] of shown) expect(actual).toEqual(expected)
})
