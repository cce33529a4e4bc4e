import { readFileSync } from 'node:fs'
import { issueKey, type TestKeys, testKeys } from '../support/http/keys.ts'

/** The status of each outcome on the wire. */
export const STATUS = {
  missing: 401,
  invalid_request: 400,
  invalid_token: 401,
  accepted: 200,
} as const

type Outcome = keyof typeof STATUS

/** One case of `docs/vectors/authorization-header.json`; its README says what each field means. */
export interface Vector {
  readonly id: string
  readonly description: string
  readonly lines: readonly string[]
  readonly expect: Outcome
  readonly expectJoined?: Outcome
  readonly serverMayRefuse?: boolean
  readonly decidedBy: 'standard' | 'policy'
  readonly basis: string
}

const FILE = new URL('../../docs/vectors/authorization-header.json', import.meta.url)

/** The file as it is read by others. */
export const vectorText = readFileSync(FILE, 'utf8')

export const vectors: readonly Vector[] = JSON.parse(vectorText).vectors

/** What the placeholders of the vectors stand for. */
export interface Credentials {
  readonly key: string
  readonly other: string
  readonly unknown: string
  readonly revoked: string
  readonly mistyped: string
}

/** Issues a credential of every kind. */
export async function issueCredentials(backend: TestKeys): Promise<Credentials> {
  const { secret: key } = await issueKey(backend)
  const { secret: other } = await issueKey(backend)
  const { secret: unknown } = await issueKey(testKeys())
  const { key: stopped, secret: revoked } = await issueKey(backend)
  const { workspaceId, id, creator: actor } = stopped
  await backend.keys.revokeKey({ workspaceId, id, actor })
  return { key, other, unknown, revoked, mistyped: mistype(key) }
}

/** The lines of a vector with its placeholders filled in. */
export function fill({ lines }: Pick<Vector, 'lines'>, credentials: Credentials): string[] {
  return lines.map((line) =>
    line.replace(/\{(\w+)\}/g, (_, name: string) => {
      const credential = credentials[name as keyof Credentials]
      if (credential === undefined) throw new Error(`there is no placeholder ${name}`)
      return credential
    }),
  )
}

/** Of a key's life only these two are looked up; of everything else the storage hears nothing. */
const LOOKED_UP = /\{(unknown|revoked)\}/

/** How many look-ups a vector with this outcome must cost. */
export function lookupsOf({ lines }: Pick<Vector, 'lines'>, outcome: string): number {
  if (outcome === 'accepted') return 1
  return outcome === 'invalid_token' && lines.some((line) => LOOKED_UP.test(line)) ? 1 : 0
}

/** What a runtime hands over that joins lines (Fetch §2.2.2); OWS is no part of a value. */
export function joinedValue(lines: readonly string[]): string | undefined {
  if (lines.length === 0) return undefined
  return trimmed(lines.map(trimmed).join(', '))
}

function trimmed(value: string): string {
  return value.replace(/^[ \t]+|[ \t]+$/g, '')
}

function mistype(secret: string): string {
  return secret.slice(0, -1) + (secret.endsWith('0') ? '1' : '0')
}
