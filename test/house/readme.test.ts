import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ENTRIES } from '../support/entries.ts'
import { loader, runSnippet } from './run-snippet.ts'
import { fencesIn } from './snippets.ts'
import { read } from './sources.ts'

test('the server of the README answers as the README says', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'miftah-readme-'))
  const servers: Server[] = []
  const listen = (app: RequestListener) => {
    const listening = createServer(app)
    servers.push(listening)
    return new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve))
  }
  const load = loader(ENTRIES)
  const [server] = fencesIn('README.md', read('README.md'))
  try {
    await runSnippet(
      (server?.code ?? '')
        .replace("app.listen(3000, '127.0.0.1')", "await (await load('listen'))(app)")
        .replace("'keys.sqlite'", JSON.stringify(join(folder, 'keys.sqlite'))),
      (name) => (name === 'listen' ? Promise.resolve(listen) : load(name)),
      () => {},
    )
    const [address] = servers.map((one) => one.address() as AddressInfo)
    const base = `http://127.0.0.1:${address?.port}`
    const [, body = ''] = /^ {2}-d '(.+)'$/m.exec(read('README.md')) ?? []
    const headers = { 'Content-Type': 'application/json' }
    const created = await fetch(`${base}/settings/api-keys/keys`, { method: 'POST', headers, body })
    const { secret }: { secret: string } = await created.json()
    const call = (init?: RequestInit) => fetch(`${base}/api/contacts`, init)
    const answer = await call({ headers: { Authorization: `Bearer ${secret}` } })
    expect(await answer.text()).toBe('{"workspace":"ws_1"}')
    expect((await call()).status).toBe(401)
  } finally {
    for (const one of servers) one.close()
    rmSync(folder, { recursive: true })
  }
})
