import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fencesIn } from '../../house/snippets.ts'
import { freePort } from '../../support/free-port.ts'
import { outputOf } from '../../support/package/child.ts'
import { ROOT } from '../../support/package/npm.ts'

const PAGE = 'docs/getting-started.md'

/** What the page installs beside miftah on Node 20; later versions need the first alone. */
export const GETTING_STARTED_PACKAGES = [
  'express@5.3.0',
  '@photostructure/sqlite@1.2.1',
  'tsx@4.23.15',
]

/**
 * Does in an installed project what the page says: writes the files that it names, starts the server,
 * creates the first key and calls the API with it. Answers how many things were checked.
 */
export async function followGettingStarted(home: string): Promise<number> {
  const port = await freePort()
  const files = filesOfPage()
  for (const [name, code] of files) {
    writeFileSync(join(home, name), code.replace('listen(3000)', `listen(${port})`))
  }
  const tsx = join(home, 'node_modules/.bin/tsx')
  const server = spawn(tsx, ['app.ts'], { cwd: home, stdio: ['ignore', 'inherit', 'inherit'] })
  const ended = new Promise((resolve) => server.once('close', resolve))
  try {
    const url = `http://127.0.0.1:${port}/api/public/v1/invoices`
    same(await statusOnceUp(url), 401)
    const secret = (await outputOf([tsx, 'first-key.ts'], home)).trim()
    const response = await fetch(url, { headers: { Authorization: `Bearer ${secret}` } })
    same(response.status, 200)
    same(await response.text(), '{"workspace":"ws_1"}')
    const list = `http://127.0.0.1:${port}/api/settings/api-keys/keys`
    same((await fetch(list)).status, 401)
    same((await fetch(list, { headers: { Cookie: 'sid=demo' } })).status, 200)
    return files.length + 5
  } finally {
    server.kill()
    await ended
  }
}

/** The snippets that begin with the name of their file; the second `app.ts` replaces the first. */
function filesOfPage(): readonly (readonly [name: string, code: string])[] {
  const snippets = fencesIn(PAGE, readFileSync(join(ROOT, PAGE), 'utf8'))
  const files = snippets.flatMap(({ code }) => {
    const name = /^\/\/ ([a-z-]+\.ts)\n/.exec(code)?.[1]
    return name === undefined ? [] : [[name, code] as const]
  })
  same(files.map(([name]) => name).join(), 'api-keys.ts,app.ts,first-key.ts,sessions.ts,app.ts')
  return files
}

async function statusOnceUp(url: string): Promise<number> {
  for (let tries = 0; tries < 300; tries += 1) {
    const response = await fetch(url).catch(() => null)
    if (response !== null) return response.status
    await wait(100)
  }
  throw new Error('the server did not listen within 30 seconds')
}

function same(actual: unknown, wanted: unknown): void {
  if (actual !== wanted) throw new Error(`got ${actual}, wanted ${wanted}`)
}
