import { writeFileSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { inWords, type MeterReport } from '../../adapters/cli/meter/report.ts'
import { memoryStorage } from '../../adapters/storage/memory.ts'
import { miftah } from '../support/command-line.ts'
import { meteredMiftah } from '../support/meter/metered-miftah.ts'
import {
  guardedBy,
  type Metered,
  meteredServer,
  meterModule,
} from '../support/meter/metered-server.ts'
import { naiveCache } from '../support/meter/naive-cache.ts'
import { freshPath } from '../support/sqlite-files.ts'

/** A module for `--config`. */
function moduleOf(text: string): string {
  const path = `${freshPath()}.mjs`
  writeFileSync(path, text)
  return path
}

/** Measures a system in this process. */
async function metered(system: Metered, words: readonly string[] = []) {
  const host = await meteredServer(system)
  onTestFinished(() => host.close())
  const config = moduleOf(meterModule(host.port))
  const url = `http://127.0.0.1:${host.port}/guarded`
  return miftah(['meter', url, '-c', config, '--connections', '4', ...words])
}

test('miftah accepts no call that was sent after the acknowledgement', async () => {
  const words = ['--keys', '40', '--at-once', '4', '--quiet-ms', '50']
  const system = meteredMiftah({ storage: memoryStorage() })
  const { code, out, err } = await metered(system, [...words, '--json'])
  expect({ code, err }).toEqual({ code: 0, err: '' })
  const report = JSON.parse(out)
  expect(report).toMatchObject({ revocations: 40, late: 0, lastAcceptedMs: null, open: 0 })
  expect(report.calls).toMatchObject({ accepted: 0, unanswered: 0 })
  expect(report.calls.refused).toBeGreaterThan(40)
  expect(report.histogram[0]).toEqual({ lastAccepted: 'never', keys: 40 })
})

test('the window of a naive cache is found, and drawn', async () => {
  const words = ['--keys', '3', '--at-once', '3', '--quiet-ms', '500', '--json']
  const { code, out } = await metered(naiveCache(2_000), words)
  const report: MeterReport = JSON.parse(out)
  expect({ code, late: report.late, open: report.open }).toEqual({ code: 1, late: 3, open: 0 })
  expect(report.lastAcceptedMs).toBeGreaterThan(500)
  expect(report.lastAcceptedMs).toBeLessThan(2_000)
  expect(inWords(report)).toMatch(/^Keys accepted afterwards: 3, the last one [\d.]+ m?s after/m)
  expect(inWords(report)).toMatch(/^within 10? s +\d +#+$/m)
})

test('a revocation that has no effect is reported as such when the time is over', async () => {
  const deaf = { ...naiveCache(10), revoke: async () => {} }
  const { code, out } = await metered(deaf, ['--keys', '5', '--seconds', '1'])
  expect(code).toBe(1)
  expect(out).toMatch(/^1 revocations, /)
  expect(out).toContain('Keys that were not seen to stop working: 1.')
})

test('a system that stops to answer has refused nothing', async () => {
  let isDown = false
  const system = naiveCache(1)
  const falling = {
    ...system,
    async revoke() {
      isDown = true
    },
    guarded: ((req, res) =>
      isDown ? res.writeHead(503).end() : system.guarded(req, res)) as Metered['guarded'],
  }
  const { code, out } = await metered(falling, ['--keys', '1', '--seconds', '1'])
  expect(code).toBe(1)
  expect(out).toMatch(/0 accepted, 0 refused, \d+ without a verdict/)
  expect(out).toContain('Keys that were not seen to stop working: 1.')
})

test('the module may say how a key is sent, and what accepts it', async () => {
  const host = await meteredServer({
    ...naiveCache(1),
    guarded: (req, res) => res.end(JSON.stringify({ valid: req.headers['x-key'] === state.key })),
  })
  onTestFinished(() => host.close())
  const state = { key: '' }
  Object.assign(globalThis, { meterState: state })
  const config = moduleOf(`const state = globalThis.meterState
    export const createKey = () => (state.key = 'k')
    export const revokeKey = () => (state.key = '')
    export const headers = (key) => ({ 'x-key': key })
    export const isAccepted = ({ text }) => JSON.parse(text).valid`)
  const url = `http://127.0.0.1:${host.port}/`
  const words = ['--url', url, '--keys', '2', '--quiet-ms', '20']
  expect((await miftah(['meter', url, '-c', config, ...words])).code).toBe(0)
})

const CREATES = 'export const createKey = () => ({ secret: "s" });'
const REVOKES = 'export const revokeKey = () => {};'

test.each([
  ['no module', [], 'meter needs the option --config.'],
  ['a module without createKey', ['-c', REVOKES], 'must export the function "createKey".'],
  ['one without revokeKey', ['-c', CREATES], 'must export the function "revokeKey".'],
  [
    'text for a number',
    ['-c', CREATES, '--keys', 'many'],
    '--keys must be a whole number from 1 to 100000.',
  ],
  [
    'a number beyond its bound',
    ['-c', CREATES, '--connections', '1001'],
    '--connections must be a whole number from 1 to 1000.',
  ],
  [
    'another address',
    ['-c', CREATES, '--url', 'file:///etc'],
    'The address to measure must be an http: or https: URL.',
  ],
  [
    'a key without a secret',
    ['-c', `export const createKey = () => 1; ${REVOKES}`],
    'createKey must return { secret }, or the module must export "headers".',
  ],
  [
    'a module that fails',
    ['-c', `export const createKey = () => { throw new Error('no quota') }; ${REVOKES}`],
    'The module of --config failed: no quota',
  ],
])('%s: one line, exit code 2', async (_, words, message) => {
  const given = words.map((word) => (word.includes('export') ? moduleOf(word) : word))
  const { code, out, err } = await miftah(['meter', 'http://127.0.0.1:1/', ...given])
  expect({ code, out }).toEqual({ code: 2, out: '' })
  expect(err).toContain(message)
  expect(err.trimEnd().split('\n')).toHaveLength(1)
})

test('a key that is never accepted proves nothing', async () => {
  const closed = { ...naiveCache(1), guarded: guardedBy(() => false) }
  const { code, err } = await metered(closed)
  expect({ code, err }).toEqual({
    code: 2,
    err: 'miftah: No URL accepted a new key: the last answer was 401.\n',
  })
}, 20_000)
