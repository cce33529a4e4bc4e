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
  /** How often PostgreSQL's own log quotes the hash of a row that it has refused. */
  readonly quotedInLogs: number
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
  const logs: readonly Place[] = lines('logs').map((line) => JSON.parse(line))
  const unique = (kind: string) => [...new Set(lines(kind))]
  return {
    secrets: unique('secrets'),
    hashes: unique('hashes'),
    tables: lines('tables').map((line) => JSON.parse(line)),
    logs: logs.map(({ name, content }) => ({ name, content: String(content).replace(QUOTED, '') })),
    quotedInLogs: logs.reduce(
      (sum, log) => sum + (String(log.content).match(QUOTED)?.length ?? 0),
      0,
    ),
    answers: unique('answers').map((line) => placeOf(JSON.parse(line))),
    output: texts('output'),
    files: lines('files').map((line) => JSON.parse(line)),
  }
}

/**
 * A taken hash, of which PostgreSQL tells in its log by quoting it, unless `log_error_verbosity` is
 * `terse`. Only a program that stores the same hash twice ever sees one: the contract suite does.
 */
const QUOTED = /DETAIL: {2}Key \(hash\)=\(\\x[0-9a-f]{64}\) already exists\./g

/** An answer without the secret that it is there to hand out, or the hash that GitHub asks for. */
function placeOf({ status, head, body }: Answer): Place {
  const allowed = status === 201 ? ['secret'] : status === 200 ? ['token_hash'] : []
  return { name: `answer ${status}`, content: `${head}\n${without(allowed, body)}` }
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
