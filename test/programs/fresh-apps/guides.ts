import { strictEqual } from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fencesIn } from '../../house/snippets.ts'
import { freePort } from '../../support/free-port.ts'
import { type Command, outputOf } from '../../support/package/child.ts'
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
  const url = `http://127.0.0.1:${port}/api/public/v1/invoices`
  return drivenAt(url, { home, command: [tsx, 'app.ts'] }, async (unguarded) => {
    strictEqual(unguarded.status, 401)
    const secret = (await outputOf([tsx, 'first-key.ts'], home)).trim()
    const response = await fetch(url, { headers: { Authorization: `Bearer ${secret}` } })
    strictEqual(await response.text(), '{"workspace":"ws_1"}')
    const list = `http://127.0.0.1:${port}/api/settings/api-keys/keys`
    strictEqual((await fetch(list)).status, 401)
    strictEqual((await fetch(list, { headers: { Cookie: 'sid=demo' } })).status, 200)
    return 4
  })
}

/** A server that does not say where it listens. */
interface Started {
  readonly home: string
  readonly command: Command
  readonly env?: Readonly<Record<string, string>>
}

/** Drives a server from its first answer, which comes within a minute, and stops it. */
export async function drivenAt(
  url: string,
  { home, command: [file, ...words], env = {} }: Started,
  drive: (first: Response) => Promise<number>,
): Promise<number> {
  const server = spawn(file, words, {
    cwd: home,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const ended = once(server, 'close')
  try {
    for (let tries = 0; tries < 600; tries += 1) {
      const response = await fetch(url).catch(() => null)
      if (response !== null) return await drive(response)
      await wait(100)
    }
    throw new Error(`${url} did not answer in a minute`)
  } finally {
    server.kill()
    await ended
  }
}

/** Runs Jest in a CommonJS project with the configuration that the guide gives. */
export async function driveJest(home: string): Promise<number> {
  const [, config] =
    /^```js\n([^`]*transformIgnorePatterns[^`]*)```$/m.exec(textOf('docs/testing.md')) ?? []
  writeFileSync(join(home, 'jest.config.js'), config ?? '')
  const manifest = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'))
  writeFileSync(join(home, 'package.json'), JSON.stringify({ ...manifest, type: 'commonjs' }))
  const told = await outputOf([join(home, 'node_modules/.bin/jest')], home)
  return Number(/^Tests: +(\d+) passed, \1 total$/m.exec(told)?.[1])
}

/** Runs the strategy of the guide beside the package that it replaces. */
export async function drivePassport(home: string): Promise<number> {
  const code = /^```js\n([\s\S]*?)^```/m.exec(textOf('docs/passport.md'))?.[1] ?? ''
  writeFileSync(join(home, 'guide.js'), `${code}\nexport { keys, passport }\n`)
  await outputOf([process.execPath, 'passport.js'], home)
  return 10
}
