import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { mintSecret } from '../../src/secret/mint.ts'
import { compiled } from '../support/compiled.ts'
import type { LifeReport } from './life/report.ts'
import { leaksIn, type Place } from './life/search.ts'

describe.each(['memory', 'sqlite'] as const)('a whole life on %s', (kind) => {
  let folder: string
  let life: Life
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'miftah-life-'))
    life = await live(kind === 'sqlite' ? join(folder, 'keys.db') : kind, folder)
  }, 300_000)
  afterAll(() => rm(folder, { recursive: true }))

  test('was lived: everything has happened, and was logged', () => {
    const { report, output } = life
    expect(report.secrets).toHaveLength(9)
    const statuses = new Set(report.answers.map(({ status }) => status))
    const all = [200, 201, 400, 401, 403, 404, 405, 409, 415, 422, 500, 503]
    expect([...statuses].sort()).toEqual(all)
    for (const word of ['event', 'delivered', 'connection refused', 'billing is down', 'called']) {
      expect(output.stdout + output.stderr).toContain(word)
    }
    expect(report.shown['errors inspected']).toContain('OutageError')
    expect(report.shown['events as JSON']?.split('"miftah:holder"')).toHaveLength(4)
    const inactive = report.answers.filter(({ body }) => body === '{"active":false}')
    const active = report.answers.filter(({ body }) => body.startsWith('{"active":true'))
    expect(inactive.length).toBeGreaterThan(0)
    expect(active.length).toBeGreaterThan(0)
  })

  test('left no secret and no hash where they do not belong', () => {
    const { report, output, files } = life
    const { secrets, shown, answers } = report
    const places: Place[] = [
      ...Object.entries({ ...output, ...shown }).map(([name, content]) => ({ name, content })),
      ...answers.map(({ call, headers }) => ({ name: `headers of ${call}`, content: headers })),
      ...answers
        .filter(({ isIssued }) => !isIssued)
        .map(({ call, body }) => ({ name: `body of ${call}`, content: body })),
    ]
    expect(leaksIn(places, secrets)).toEqual([])
    expect(leaksIn(files, secrets, { hashes: 'allowed' })).toEqual([])
  })

  test('left prefixes, so that the search has looked in the right places', () => {
    const prefix = life.report.secrets[0]?.slice(0, 12) ?? ''
    expect(life.output.stdout).toContain(prefix)
    expect(life.report.answers.some(({ body }) => body.includes(prefix))).toBe(true)
    if (kind === 'memory') return
    const names = life.files.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(['keys.db', 'keys.db-wal', 'keys.db, closed']))
    expect(life.files.some(({ content }) => content.includes(prefix))).toBe(true)
  })
})

type Life = Awaited<ReturnType<typeof live>>

/** Lives one life in a process of its own; everything that it leaves behind. */
async function live(target: string, folder: string) {
  const program = await compiled({ code: "import './test/security/life/life.ts'" })
  const child = spawn(process.execPath, [program, target], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  const output = { stdout: '', stderr: '' }
  child.stdout?.on('data', (chunk) => (output.stdout += chunk))
  child.stderr?.on('data', (chunk) => (output.stderr += chunk))
  const exited = once(child, 'close')
  const answer = await Promise.race([once(child, 'message'), exited.then(() => null)])
  if (answer === null) throw new Error(`the process has ended:\n${output.stderr}`)
  const [report] = answer as [LifeReport]
  const open = await filesIn(folder)
  child.send('close')
  const [code] = await exited
  expect(code).toBe(0)
  const closed = await filesIn(folder)
  const files = [...open, ...closed.map((file) => ({ ...file, name: `${file.name}, closed` }))]
  return { report, output, files }
}

async function filesIn(folder: string): Promise<Place[]> {
  const names = await readdir(folder)
  return Promise.all(
    names.map(async (name) => ({ name, content: await readFile(join(folder, name)) })),
  )
}

describe('the search', () => {
  const secret = mintSecret('svc', 'live')
  const leaks = (content: string) => leaksIn([{ name: 'x', content }], [secret])

  test('finds any 23 characters of a secret, in any of four spellings', () => {
    for (let at = 12; at + 23 <= secret.length; at += 1) {
      expect(leaks(`..${secret.slice(at, at + 23)}..`)).toEqual(['x: the secret'])
    }
    for (const before of ['', 'a', 'ab', 'abc', 'مفتاح']) {
      const text = Buffer.from(before + secret).toString('base64')
      expect(leaks(text)).toEqual(['x: the secret in base64'])
    }
    expect(leaks(Buffer.from(secret).toString('hex'))).toEqual(['x: the secret in hex'])
    const wide = Buffer.from(secret, 'utf16le').toString('latin1')
    expect(leaks(wide)).toEqual(['x: the secret in UTF-16'])
  })

  test('finds its hash however it was printed', () => {
    const hash = createHash('sha256').update(secret).digest()
    const printed = [hash.toString('hex'), hash.toString('base64'), inspect(hash), `${[...hash]}`]
    for (const text of printed) expect(leaks(text)).toHaveLength(1)
    expect(leaksIn([{ name: 'x', content: hash }], [secret])).toEqual(['x: the hash as bytes'])
    expect(leaksIn([{ name: 'x', content: hash }], [secret], { hashes: 'allowed' })).toEqual([])
  })

  test('does not take the prefix or another secret for one', () => {
    expect(leaks(`${secret.slice(0, 12)}… ${mintSecret('svc', 'live')}`)).toEqual([])
  })
})
