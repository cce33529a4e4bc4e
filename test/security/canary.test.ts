import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { mintSecret } from '../../src/secret/mint.ts'
import { type LifeReport, PLANTS, type Plant } from '../programs/canary/report.ts'
import { leaksIn, type Place } from '../programs/canary/search.ts'
import { compiled } from '../support/compiled.ts'

let folder: string
let lives: ReadonlyMap<string, Life>
// All at once: each waits now and then, such as for its relay.
beforeAll(async () => {
  const life = await compiled({ code: "import './test/programs/canary/life.ts'" })
  folder = await mkdtemp(join(tmpdir(), 'miftah-canary-'))
  const planted = PLANTED.map(([plants]) => ['sqlite', plants] as const)
  const all = [['memory', []], ['sqlite', []], ...planted] as const
  const lived = all.map(async ([kind, plants]) => {
    const one = await live(life, kind, plants)
    return [nameOf(kind, plants), one] as const
  })
  lives = new Map(await Promise.all(lived))
}, 300_000)
afterAll(() => rm(folder, { recursive: true }))

const nameOf = (kind: string, plants: readonly Plant[]) => [kind, ...plants].join()

function lifeOf(kind: string, plants: readonly Plant[] = []): Life {
  const life = lives.get(nameOf(kind, plants))
  if (life === undefined) throw new Error('this life was not lived')
  return life
}

/** Lives one life in a process of its own; everything that it leaves behind. */
async function live(life: string, kind: 'memory' | 'sqlite', plants: readonly Plant[]) {
  const home = await mkdtemp(join(folder, `${kind}-`))
  const target = kind === 'sqlite' ? join(home, 'keys.db') : 'memory'
  const child = spawn(process.execPath, [life, target, plants.join()], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    // What is planted here is no find of `npm run canary`.
    env: plants.length === 0 ? process.env : { ...process.env, MIFTAH_CANARY: '' },
  })
  const output = { stdout: '', stderr: '' }
  child.stdout?.on('data', (chunk) => (output.stdout += chunk))
  child.stderr?.on('data', (chunk) => (output.stderr += chunk))
  const exited = once(child, 'close')
  const answer = await Promise.race([once(child, 'message'), exited.then(() => null)])
  if (answer === null) throw new Error(`the process has ended:\n${output.stderr}`)
  const [report] = answer as [LifeReport]
  const files = [...(await filesIn(home)), ...(await afterClosing())]
  return { report, output, files }

  async function afterClosing() {
    child.send('close')
    const [code] = await exited
    expect(code).toBe(0)
    const closed = await filesIn(home)
    return closed.map((file) => ({ ...file, name: `${file.name}, closed` }))
  }
}

async function filesIn(home: string): Promise<Place[]> {
  const names = await readdir(home)
  return Promise.all(
    names.map(async (name) => ({ name, content: await readFile(join(home, name)) })),
  )
}

type Life = Awaited<ReturnType<typeof live>>

function leaksOf({ report, output, files }: Life): string[] {
  const places: Place[] = [
    { name: 'stdout', content: output.stdout },
    { name: 'stderr', content: output.stderr },
    ...Object.entries(report.shown).map(([name, content]) => ({ name, content })),
    ...report.answers.map(({ call, headers }) => ({
      name: `headers of ${call}`,
      content: headers,
    })),
    ...bodies(report, 'nothing'),
  ]
  const withHashes = [...bodies(report, 'hash'), ...files]
  return [
    ...leaksIn(places, report.secrets),
    ...leaksIn(withHashes, report.secrets, { hashes: 'allowed' }),
  ]
}

function bodies({ answers }: LifeReport, mayHold: 'hash' | 'nothing'): Place[] {
  return answers
    .filter((answer) => answer.mayHold === mayHold)
    .map(({ call, body }) => ({ name: `body of ${call}`, content: body }))
}

/** Leaks that are planted together, and where and in which form each must be found. */
const PLANTED: readonly (readonly [plants: readonly Plant[], leaks: readonly RegExp[]])[] = [
  [
    ['stdout', 'stderr', 'base64', 'hash', 'body', 'header', 'event', 'object', 'database'],
    [
      ...[
        /^stdout: the secret$/,
        /^stdout: the secret in base64$/,
        /^stdout: the hash as a shown Buffer$/,
      ],
      ...[/^stderr: the secret$/, /^events as JSON: the secret$/, /^events inspected: the secret$/],
      ...[/^found as JSON: the secret$/, /^found inspected: the secret$/],
      ...[/^headers of .*: the secret$/, /^body of .*: the secret$/],
      ...[/^keys\.db-wal: the secret$/, /^keys\.db, closed: the secret$/],
    ],
  ],
  [['error'], [/^stderr: the secret$/, /^errors inspected: the secret$/]],
]

describe.each(['memory', 'sqlite'] as const)('a whole life on %s', (kind) => {
  test('was lived: everything has happened, and was logged', () => {
    const { report, output } = lifeOf(kind)
    expect(report.secrets).toHaveLength(12)
    const statuses = new Set(report.answers.map(({ status }) => status))
    const all = [200, 201, 400, 401, 403, 404, 405, 409, 415, 422, 500, 503]
    expect([...statuses].sort()).toEqual(all)
    for (const word of ['event', 'delivered', 'connection refused', 'billing is down', 'called']) {
      expect(output.stdout + output.stderr).toContain(word)
    }
    expect(report.shown['errors inspected']).toContain('OutageError')
    expect(report.shown['events as JSON']?.split('github-secret-scanning')).toHaveLength(4)
    expect(report.shown['events as JSON']?.split('"miftah:holder"')).toHaveLength(4)
    const inactive = report.answers.filter(({ body }) => body === '{"active":false}')
    const active = report.answers.filter(({ body }) => body.startsWith('{"active":true'))
    expect(inactive.length).toBeGreaterThan(0)
    expect(active.length).toBeGreaterThan(0)
    expect(bodies(report, 'hash')).toHaveLength(6)
  })

  test('left no secret and no hash where they do not belong', () => {
    expect(leaksOf(lifeOf(kind))).toEqual([])
  })

  test('left prefixes, so that the search has looked in the right places', () => {
    const life = lifeOf(kind)
    const prefix = life.report.secrets[0]?.slice(0, 12) ?? ''
    expect(life.output.stdout).toContain(prefix)
    expect(life.report.answers.some(({ body }) => body.includes(prefix))).toBe(true)
    if (kind === 'memory') return
    const names = life.files.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(['keys.db', 'keys.db-wal', 'keys.db, closed']))
    expect(life.files.some(({ content }) => content.includes(prefix))).toBe(true)
  })
})

test('every leak is planted', () => {
  expect(PLANTED.flatMap(([plants]) => plants).sort()).toEqual([...PLANTS].sort())
})

test.each(PLANTED)('leaks into %s are found', (plants, expected) => {
  const leaks = leaksOf(lifeOf('sqlite', plants))
  const found = [...new Set(leaks.map((leak) => leak.split(/ of [^ ]*…$/)[0] ?? ''))]
  expect(found).toHaveLength(expected.length)
  for (const leak of expected) expect(found.filter((one) => leak.test(one))).toHaveLength(1)
})

describe('the search', () => {
  const secret = mintSecret('svc', 'live')
  const leaks = (content: string) => leaksIn([{ name: 'x', content }], [secret])

  test('finds any 23 characters of a secret, in any of four spellings', () => {
    for (let at = 12; at + 23 <= secret.length; at += 1) {
      expect(leaks(`..${secret.slice(at, at + 23)}..`)).toHaveLength(1)
    }
    for (const before of ['', 'a', 'ab', 'abc', 'مفتاح']) {
      expect(leaks(Buffer.from(before + secret).toString('base64'))).toHaveLength(1)
    }
    expect(leaks(Buffer.from(secret).toString('hex'))).toHaveLength(1)
    expect(leaks(Buffer.from(secret, 'utf16le').toString('latin1'))).toHaveLength(1)
  })

  test('finds the same among thousands', () => {
    const many = Array.from({ length: 3_000 }, () => mintSecret('svc', 'test'))
    const text = `${'مفتاح '.repeat(1_000)}${Buffer.from(secret).toString('base64')} ${many[7]}`
    expect(leaksIn([{ name: 'x', content: text }], [...many, secret])).toEqual([
      `x: the secret of ${many[7]?.slice(0, 12)}…`,
      `x: the secret in base64 of ${secret.slice(0, 12)}…`,
    ])
    expect(leaksIn([{ name: 'x', content: 'short' }], many)).toEqual([])
  })

  test('does not take the prefix or another secret for one', () => {
    expect(leaks(`${secret.slice(0, 12)}… ${mintSecret('svc', 'live')}`)).toEqual([])
  })
})
