import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { ENTRIES } from '../support/entries.ts'
import { ROOT } from '../support/package/npm.ts'

const { bin, exports, sideEffects } = manifest

/**
 * Tells what each import has left behind: globals, properties of what is built in, listeners, and what
 * would keep the process alive. Not counted: the reading of the module files themselves, and the
 * globals by which copies of zod share their configuration and copies of Lit find each other.
 */
const PROBE = `
const theirs = /^globalThis,(__zod_global|litHtmlVersions|litElementVersions|litPropertyMetadata|reactiveElementVersions)/
const loading = new Set(['FSReqPromise', 'CloseReq'])
const builtIns = { Object, Array, Promise, Error, Map, Date, JSON, String, Headers, Request, Response }
const objects = Object.entries({ globalThis, env: process.env, ...builtIns }).flatMap(
  ([name, it]) => [[name, it], [name + '.prototype', it.prototype ?? {}]],
)
const isValue = (key) => 'value' in Reflect.getOwnPropertyDescriptor(globalThis, key)
const valueKeys = () => Reflect.ownKeys(globalThis).filter(isValue)
const shape = ([name, it]) => Reflect.ownKeys(it).map((key) => {
  const { value, get, set, ...flags } = Reflect.getOwnPropertyDescriptor(it, key)
  return [name, String(key), typeof value, Boolean(get), Boolean(set), ...Object.values(flags)].join()
})
const seen = () => [
  ...objects.flatMap(shape).filter((text) => !theirs.test(text)),
  ...process.eventNames().map((name) => 'listeners ' + String(name) + process.listenerCount(name)),
  ...process.getActiveResourcesInfo().filter((name) => !loading.has(name)),
]
// Frameworks whose values an entry imports: what they leave behind themselves is not ours.
await Promise.all([import('@nestjs/common'), import('react')])
for (const module of process.argv.slice(1)) {
  const held = new Map(valueKeys().map((key) => [key, globalThis[key]]))
  const before = seen()
  await import(module)
  const after = seen()
  const changes = [
    ...after.filter((text) => !before.includes(text)),
    ...before.filter((text) => !after.includes(text)),
    ...[...held.keys()].filter((key) => !Object.is(globalThis[key], held.get(key))),
  ]
  for (const change of changes) console.log(module, String(change))
}
`

/** What a program that only imports modules, one after the other, prints, errors included. */
function afterImports(modules: readonly string[]): string {
  const words = ['--input-type=module', '--eval', PROBE, ...modules]
  const limits = { cwd: ROOT, encoding: 'utf8', timeout: 100_000 } as const
  const { status, stdout, stderr } = spawnSync(process.execPath, words, limits)
  return status === 0 ? stdout + stderr : `ended with ${status}: ${stderr}`
}

test('importing any entry leaves nothing behind, prints nothing and lets the program end', () => {
  const entries = [...ENTRIES.keys()].filter((entry) => entry !== 'miftah/settings-tab')
  expect(entries.length).toBeGreaterThan(15)
  expect(afterImports(entries)).toBe('')
})

test('what is left behind is noticed, and of which module', () => {
  const effects = [
    'globalThis.left = 1',
    'Array.prototype.left = () => {}',
    'globalThis.fetch = () => {}',
    'setInterval(() => process.exit(), 100)',
    "process.on('exit', () => {})",
  ].map((text) => `data:text/javascript,${encodeURIComponent(text)}`)
  const noticed = afterImports(['data:text/javascript,', ...effects]).split('\n')
  const modules = new Set(noticed.flatMap((line) => line.split(' ')[0] || []))
  expect([...modules]).toEqual(effects)
})

test('the settings tab and the command alone are declared to have an effect', () => {
  expect(sideEffects).toEqual([exports['./settings-tab'], bin.miftah])
})
