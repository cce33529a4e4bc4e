import type { RawResponse } from '../../support/http/raw-client.ts'

export type Verdict = 'accepted' | 'refused' | 'fault'

/** What a test may do between a library and its store. */
export interface Probe {
  /** Look-ups of a key by its hash so far. */
  lookups: number
  beforeLookup: () => Promise<unknown>
  /** Replaces the row that a look-up has found. */
  answer: (row: Row | null) => unknown
}

/** A row as the library's own storage keeps it. */
export type Row = Readonly<Record<string, unknown>>

export interface Issued {
  readonly id: string
  readonly secret: string
}

/** A library under the cases: its own way of doing what each case asks for. */
export interface Subject {
  readonly name: string
  readonly probe: Probe
  /** A key of the first tenant with the one right to read contacts. */
  issue(): Promise<Issued>
  /** Whether a key may read contacts. */
  check(secret: unknown): Promise<Verdict>
  /** The same for rights that only resemble the one held. */
  checkResembling(secret: string): Promise<readonly Verdict[]>
  revoke(id: string): Promise<void>
  /** What an accepted request is given. */
  principal(secret: string): Promise<object>
  /** What lists and look-ups by id show, as text. */
  shown(id: string): Promise<string>
  /** How many uses the store has counted. */
  uses(id: string): Promise<number>
  /** What the store holds in place of the secret. */
  hashOf(id: string): Promise<string>
  /** An impossible row: its end is not an instant. */
  broken(row: Row): Row
  /** Creates a key with such a name; the name as stored, or null when it was refused. */
  createNamed(name: string): Promise<string | null>
  readonly grants: SubjectGrants
  readonly lifecycle: SubjectLifecycle
  readonly http: SubjectOverHttp
  close(): Promise<void>
}

/** A member who may give keys the right to read contacts, and asks for the one to write them too. */
export interface SubjectGrants {
  /** Creates such a key from the member's page. */
  createByPage(): Promise<RawResponse>
  /** Adds the right to a key of theirs from their page. */
  updateByPage(id: string): Promise<RawResponse>
  /** The same in the host's code, which knows what the member may give; whether it was done. */
  createByHost(): Promise<boolean>
  updateByHost(id: string): Promise<boolean>
}

/** How keys end and change. The plan lets a key live for `MOST_DAYS`. */
export interface SubjectLifecycle {
  /** A key that ends after so many days, or with no end; null when it was refused. */
  issueEnding(days: number | null): Promise<Issued | null>
  /** Moves the end to so many days from now; whether that was done. */
  extend(id: string, days: number): Promise<boolean>
  /** The key as its owner sees it, as text; null when it is gone. */
  seen(id: string): Promise<string | null>
  /** Somebody reads the key now and saves a change later; saving tells whether that was done. */
  openEditor(id: string): Promise<(change: Change) => Promise<boolean>>
}

/** What an editor saves: another name, or another right in place of the one to read contacts. */
export interface Change {
  readonly name?: string
  readonly losesRight?: boolean
}

/** The longest life of a key in the plan under the cases. */
export const MOST_DAYS = 30

/** The same over sockets, as the library's own handlers answer. */
export interface SubjectOverHttp {
  readonly port: number
  /** A route that wants a key. */
  readonly route: string
  /** One that wants a key and takes a body. */
  readonly bodyRoute: string
  /** The header line that carries a key. */
  keyLine(secret: string): string
  /** Header lines of the first tenant's signed-in user, as a page of the same site sends them. */
  readonly session: readonly string[]
  /** The routes that make a key and that end one. */
  readonly createPath: string
  createBody(fields?: object): object
  /** A call by the first tenant's user that ends a key. */
  end(id: string): Promise<RawResponse>
  /** A key of the second tenant. */
  issueForeign(): Promise<Issued>
}
