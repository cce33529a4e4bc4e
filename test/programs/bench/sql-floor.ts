import { hash } from 'node:crypto'
import { SCOPE, SCOPES } from './keys.ts'

/** What floors on a database read of a key. */
export interface FloorRow {
  readonly hash: Buffer
  readonly id: number
  readonly scopes: readonly string[]
  readonly revoked_at: Date | null
}

/** A floor's own table, with what a check needs. */
export interface FloorTable {
  fill(rows: readonly FloorRow[]): Promise<unknown>
  find(hashes: readonly Buffer[]): Promise<readonly FloorRow[]>
  /** Adds uses by id, in one statement. */
  add(uses: ReadonlyMap<number, number>): Promise<unknown>
  /** All uses that it has. */
  uses(): Promise<number>
}

/**
 * What a careful hand-written check on a database does: parse, hash, find the row, look at
 * revocation and scope, count in memory, and write the counts once a second in one statement.
 */
export class SqlFloor {
  readonly #table: FloorTable
  readonly #find: (digest: Buffer) => Promise<FloorRow | undefined>
  #uses = new Map<number, number>()
  #timer: NodeJS.Timeout | null = null
  #flushed: Promise<unknown> = Promise.resolve()

  /** Coalesced, the calls of one turn share a statement. */
  constructor(table: FloorTable, { isCoalesced }: { readonly isCoalesced: boolean }) {
    this.#table = table
    this.#find = isCoalesced
      ? coalesced((digests) => table.find(digests))
      : async (digest) => (await table.find([digest]))[0]
  }

  fill(headers: readonly string[]): Promise<unknown> {
    const rows = headers.map((header, id) => ({ hash: digestOf(header), id }))
    return this.#table.fill(rows.map((row) => ({ ...row, scopes: SCOPES, revoked_at: null })))
  }

  readonly accepts = async (header: string): Promise<boolean> => {
    if (!header.startsWith('Bearer ')) return false
    const row = await this.#find(digestOf(header))
    if (row === undefined || row.revoked_at !== null || !row.scopes.includes(SCOPE)) return false
    this.#uses.set(row.id, (this.#uses.get(row.id) ?? 0) + 1)
    this.#timer ??= setTimeout(() => void this.#flush(), 1_000)
    return true
  }

  async stored(): Promise<number> {
    await this.#flush()
    return this.#table.uses()
  }

  /** One after the other: two at once would lock each other's rows. */
  #flush(): Promise<unknown> {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    const uses = this.#uses
    this.#uses = new Map()
    this.#flushed = this.#flushed.then(() => uses.size > 0 && this.#table.add(uses))
    return this.#flushed
  }
}

const digestOf = (header: string) => hash('sha256', header.slice(7), 'buffer')

interface Caller {
  readonly digest: Buffer
  readonly resolve: (row: FloorRow | undefined) => void
  readonly reject: (error: unknown) => void
}

/** Finds the digests of one turn together, two turns at most at once. */
function coalesced(find: FloorTable['find']) {
  let waiting: Caller[] = []
  let running = 0
  const send = async (callers: readonly Caller[]) => {
    const rows = await find(callers.map(({ digest }) => digest))
    const found = new Map(rows.map((row) => [row.hash.toString('latin1'), row]))
    for (const { digest, resolve } of callers) resolve(found.get(digest.toString('latin1')))
  }
  const next = () => {
    if (running === 2 || waiting.length === 0) return
    const callers = waiting
    waiting = []
    running += 1
    send(callers)
      .catch((error: unknown) => {
        for (const { reject } of callers) reject(error)
      })
      .finally(() => {
        running -= 1
        next()
      })
  }
  return (digest: Buffer) =>
    new Promise<FloorRow | undefined>((resolve, reject) => {
      waiting.push({ digest, resolve, reject })
      if (waiting.length === 1) setImmediate(next)
    })
}
