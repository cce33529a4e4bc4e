import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Place } from './search.ts'

interface Answer {
  readonly status: number
  readonly head: string
  readonly body: string
}

/** What all processes of a run have written down into one folder. */
export interface Kept {
  readonly secrets: readonly string[]
  /** In hex, from the columns of the databases where they belong. */
  readonly hashes: readonly string[]
  readonly tables: readonly Place[]
  readonly logs: readonly Place[]
  readonly answers: readonly Place[]
  readonly output: readonly Place[]
  /** Of database files, which were searched where they lay. */
  readonly files: readonly { readonly bytes: number; readonly leaks: readonly string[] }[]
}

/** Reads what was written down. */
export function keptIn(folder: string): Kept {
  const names = readdirSync(folder)
  const texts = (kind: string) =>
    names
      .filter((name) => name.startsWith(`${kind}-`))
      .map((name) => ({ name, content: readFileSync(join(folder, name), 'utf8') }))
  const lines = (kind: string) =>
    texts(kind).flatMap(({ content }) => content.split('\n').filter((line) => line !== ''))
  const unique = (kind: string) => [...new Set(lines(kind))]
  return {
    secrets: unique('secrets'),
    hashes: unique('hashes'),
    tables: lines('tables').map((line) => JSON.parse(line)),
    logs: lines('logs').map((line) => JSON.parse(line)),
    answers: unique('answers').map((line) => placeOf(JSON.parse(line))),
    output: [...texts('output'), ...texts('command').map(withoutNewSecret)],
    files: lines('files').map((line) => JSON.parse(line)),
  }
}

/** An answer without the secret that it is meant to return, or the hash that GitHub asks for. */
function placeOf({ status, head, body }: Answer): Place {
  const allowed = status === 201 ? ['secret'] : [200, 503].includes(status) ? ['token_hash'] : []
  return { name: `answer ${status}`, content: `${head}\n${without(allowed, body)}` }
}

/**
 * The output of commands, less the secret that `create` and `rotate` print: on a line of its own, as all that
 * is on standard output, or as `secret` of `--json`.
 */
function withoutNewSecret({ name, content }: Place): Place {
  const secret = '[a-z0-9]{2,4}_(?:live|test)_\\w{46}'
  const text = String(content)
    .replace(new RegExp(`^${secret}$`, 'm'), '')
    .replace(new RegExp(`"out":"${secret}\\\\n"`, 'g'), '')
    .replace(new RegExp(`^  "secret": "${secret}"$`, 'm'), '')
  return { name, content: text }
}

function without(names: readonly string[], body: string): string {
  if (names.length === 0 || !/^\s*[[{]/.test(body)) return body
  try {
    return JSON.stringify(JSON.parse(body), (name, value) =>
      names.includes(name) ? undefined : value,
    )
  } catch {
    return body
  }
}
