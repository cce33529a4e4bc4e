import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'vitest'
import { type ApiKeysOptions, createApiKeys, plans } from '../../src/index.ts'
import { miftah, type Ran } from '../support/command-line.ts'
import { storageAt } from '../support/sqlite-files.ts'

/** The words behind `create` for a key of `ws_1`. */
export const NEW = ['-w', 'ws_1', '-n', 'CRM sync', '-e', 'live', '-s', 'contacts.read']

/** Where the sources of the package are, for config modules that import them. */
export const INDEX = new URL('../../src/index.ts', import.meta.url).href

/** Keys as an application has them, on the file of a test. */
export function keysAt(path: string, options: Partial<ApiKeysOptions<string>> = {}) {
  const { storage = storageAt(path), ...others } = options
  return createApiKeys<string>({ storage, entitlements: () => plans.enterprise, ...others })
}

/** Writes a config module beside a database, and answers its path. */
export function configAt(path: string, text: string, suffix = 'mjs'): string {
  const file = join(dirname(path), `config-${Math.random().toString(36).slice(2)}.${suffix}`)
  writeFileSync(file, text)
  return file
}

/** Runs a command line that is refused: with one line that has this text, and nothing on standard output. */
export async function expectRefused(
  words: readonly string[],
  text: string | RegExp,
  { code = 2, input = '' } = {},
): Promise<void> {
  const ran = await miftah(words, input)
  const err = typeof text === 'string' ? expect.stringContaining(text) : expect.stringMatching(text)
  expect(ran).toEqual({ code, out: '', err })
  expect(ran.err).toMatch(/^miftah: .*\n$/)
}

/** What a command prints with `--json`. */
export async function jsonOf(...words: readonly string[]) {
  const { code, out, err } = await miftah([...words, '--json'])
  expect({ code, err }).toEqual({ code: 0, err: '' })
  return JSON.parse(out)
}

/** What a command prints that succeeds. */
export const done = (out: string): Ran => ({ code: 0, out, err: '' })
