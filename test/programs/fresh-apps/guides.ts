import { deepStrictEqual, strictEqual } from 'node:assert/strict'
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fencesIn } from '../../house/snippets.ts'
import { freePort } from '../../support/free-port.ts'
import { ROOT } from '../../support/package/npm.ts'

const textOf = (page: string) => readFileSync(join(ROOT, page), 'utf8')

/** Does what the page says: writes its files, starts the server, creates the first key, and calls with it. */
export async function followGettingStarted(home: string): Promise<number> {
  const page = 'docs/getting-started.md'
  const port = await freePort()
  // The second `app.ts` replaces the first.
  for (const { code } of fencesIn(page, textOf(page))) {
    const name = /^\/\/ ([a-z-]+\.ts)\n/.exec(code)?.[1]
    if (name === undefined) continue
    writeFileSync(join(home, name), code.replace('listen(3000)', `listen(${port})`))
  }
  const tsx = join(home, 'node_modules/.bin/tsx')
  const server = spawn(tsx, ['app.ts'], { cwd: home, stdio: ['ignore', 'inherit', 'inherit'] })
  const ended = new Promise((resolve) => server.once('close', resolve))
  try {
    const url = `http://127.0.0.1:${port}/api/public/v1/invoices`
    const unguarded = await firstAnswer(url)
    strictEqual(unguarded.status, 401)
    const secret = execFileSync(tsx, ['first-key.ts'], { cwd: home, encoding: 'utf8' }).trim()
    const response = await fetch(url, { headers: { Authorization: `Bearer ${secret}` } })
    strictEqual(await response.text(), '{"workspace":"ws_1"}')
    const list = `http://127.0.0.1:${port}/api/settings/api-keys/keys`
    strictEqual((await fetch(list)).status, 401)
    strictEqual((await fetch(list, { headers: { Cookie: 'sid=demo' } })).status, 200)
    return 4
  } finally {
    server.kill()
    await ended
  }
}

/** The first answer of a server that was started, within a minute. */
export async function firstAnswer(url: string): Promise<Response> {
  for (let tries = 0; tries < 600; tries += 1) {
    const response = await fetch(url).catch(() => null)
    if (response !== null) return response
    await wait(100)
  }
  throw new Error(`${url} did not answer in a minute`)
}

/** Runs Jest in a CommonJS project with the configuration that the guide gives. */
export async function driveJest(home: string): Promise<number> {
  const [, config] =
    /^```js\n([^`]*transformIgnorePatterns[^`]*)```$/m.exec(textOf('docs/testing.md')) ?? []
  writeFileSync(join(home, 'jest.config.js'), config ?? '')
  const manifest = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'))
  writeFileSync(join(home, 'package.json'), JSON.stringify({ ...manifest, type: 'commonjs' }))
  const jest = spawnSync('node_modules/.bin/jest', { cwd: home, encoding: 'utf8' })
  const passed = Number(/^Tests: +(\d+) passed, \1 total$/m.exec(jest.stderr)?.[1] ?? 0)
  if (passed === 0) throw new Error(jest.stdout + jest.stderr)
  return passed
}

/** Runs the strategy of the guide beside the package that it replaces. */
export async function drivePassport(home: string): Promise<number> {
  const code = /^```js\n([\s\S]*?)^```/m.exec(textOf('docs/passport.md'))?.[1] ?? ''
  writeFileSync(join(home, 'guide.js'), `${code}\nexport { keys, passport }\n`)
  const found = execFileSync(process.execPath, ['passport.js'], { cwd: home, encoding: 'utf8' })
  const [accepted, refused, outage] = [
    [200, ['ws_1', true]],
    [401, null],
    [503, null],
  ]
  deepStrictEqual(JSON.parse(found), {
    accepted: [accepted, accepted],
    missing: [refused, refused],
    unknown: [refused, refused],
    revoked: [refused, refused],
    closed: [outage, outage],
  })
  return 10
}
