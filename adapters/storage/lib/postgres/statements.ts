import type { EventQuery, KeyPageQuery, UsageBatch } from '../../../../src/storage/index.ts'
import type { Attempt } from './calls.ts'
import type { Statement } from './driver.ts'
import { keyLine } from './key-line.ts'
import type { Names } from './names.ts'

/**
 * Fails on a read replica, which may lag behind, with SQLSTATE 25006. An error and not an answer, because
 * a pool throws away the connection that an error came from: the next one may lead to the primary.
 */
const FAILS_ON_REPLICA = 'pg_catalog.txid_current()::text'

/** The statements of one installation. */
export interface Statements {
  /** Answers a line for the key, as `key-line.ts` writes and reads it. */
  readonly findOne: (hash: string) => Statement
  /** Answers a line for each key, in any order. */
  readonly findMany: (hashes: readonly string[]) => Statement
  readonly findById: (workspaceId: string, id: string) => Statement
  readonly list: (workspaceId: string, query: KeyPageQuery) => Statement
  readonly events: (workspaceId: string, query: EventQuery) => Statement
  /** A change by the name of its function, with one argument as JSON text. */
  readonly call: (name: string, argument: string, attempt: Attempt) => Statement
  readonly addUses: (batch: UsageBatch) => Statement
  readonly settleEvents: (relay: string, eventIds: readonly string[]) => Statement
}

/** Writes all statements for the tables of `names`. */
export function statementsOf(names: Names): Statements {
  const { at } = names
  const key = (where: string) => `SELECT ${at('key_record')}(k) FROM ${at('keys')} k WHERE ${where}`
  const lines = (
    where: string,
  ) => `SELECT ${FAILS_ON_REPLICA} AS answer WHERE pg_catalog.pg_is_in_recovery()
UNION ALL SELECT ${keyLine()} FROM ${at('keys')} k WHERE k.hash ${where}`
  const one = lines('= $1::text::bytea')
  const many = lines('= ANY ($1::text::bytea[])')
  const byId = fromPrimary(key('k.id = $2::text AND k.workspace_id = $1::text'))
  return {
    findOne: (hash) => ({ text: one, values: [bytea(hash)], isLookup: true }),
    findMany: (hashes) => ({ text: many, values: [byteaArray(hashes)], isLookup: true }),
    findById: (workspaceId, id) => ({ text: byId, values: [workspaceId, id] }),
    list: (workspaceId, query) => listStatement(names, workspaceId, query),
    events: (workspaceId, query) => eventsStatement(names, workspaceId, query),
    call: (name, argument, { isRepeat, leftMs }) => ({
      text: `SELECT ${at(name)}($1::text::jsonb || $2::text::jsonb)::text AS answer`,
      values: [argument, JSON.stringify({ isRepeat, lockTimeoutMs: lockTimeoutOf(leftMs) })],
    }),
    addUses: ({ writer, sequence, uses }) => ({
      text: `SELECT ${at('add_uses')}(
  $1::text, $2::text::bigint, $3::text::text[], $4::text::bigint[], $5::text::bigint[]
)::text AS answer`,
      values: [
        ...[writer, String(sequence), textArray(uses.map(({ id }) => id))],
        `{${uses.map((entry) => entry.uses).join(',')}}`,
        `{${uses.map(({ lastUsedAtMs }) => lastUsedAtMs).join(',')}}`,
      ],
    }),
    settleEvents: (relay, eventIds) => ({
      text: `SELECT ${at('settle_events')}($1::text, $2::text::text[])::text AS answer`,
      values: [relay, textArray(eventIds)],
    }),
  }
}

/** A read of one value that fails on a replica. */
export function fromPrimary(select: string): string {
  return `SELECT CASE WHEN pg_catalog.pg_is_in_recovery() THEN ${FAILS_ON_REPLICA} ELSE (
  ${select}
)::text END AS answer`
}

/** Leaves time to hear that the lock was not to be had, so that the outcome is known. */
function lockTimeoutOf(leftMs: number): string {
  return String(Math.max(1, Math.floor(leftMs * 0.6)))
}

const AFTER_ALL = '9223372036854775807'

/**
 * The page and the count of active keys in one snapshot. Each combination of status and environment
 * is read along its own index, at most one page of it, and the newest of all are taken: so a rare
 * match among many keys costs no more than a frequent one.
 */
function listStatement({ at }: Names, workspaceId: string, query: KeyPageQuery): Statement {
  const known = `SELECT c.seq FROM ${at('keys')} c WHERE c.id = $2 AND c.workspace_id = $1`
  const bound = query.after === null ? AFTER_ALL : `(${known})`
  const combinations = environmentsOf(query).flatMap((environment) =>
    statusesOf(query).map(
      (status) => `(SELECT k.* FROM ${at('keys')} k
    WHERE k.workspace_id = $1 AND k.environment = '${environment}' AND k.revoked_at_ms ${status}
      AND k.seq < ${bound} ORDER BY k.seq DESC LIMIT $3::text::bigint)`,
    ),
  )
  const text = fromPrimary(`SELECT pg_catalog.json_build_object(
    'isKnown', ${query.after === null ? '$2::text IS NOT NULL' : `EXISTS (${known})`},
    'activeKeys', (SELECT pg_catalog.count(*) FROM ${at('keys')} a
      WHERE a.workspace_id = $1 AND a.revoked_at_ms IS NULL),
    'records', (SELECT pg_catalog.json_agg(
        ${at('key_record')}(ROW(p.*)::${at('keys')}) ORDER BY p.seq DESC)
      FROM (SELECT u.* FROM (${combinations.join(' UNION ALL ')}) u
        ORDER BY u.seq DESC LIMIT $3::text::bigint) p))`)
  return { text, values: [workspaceId, query.after ?? '', String(query.limit + 1)] }
}

function environmentsOf({ environment }: KeyPageQuery): readonly string[] {
  if (environment === null) return ['live', 'test']
  return environment === 'live' ? ['live'] : ['test']
}

function statusesOf({ status }: KeyPageQuery): readonly string[] {
  if (status === null) return ['IS NULL', 'IS NOT NULL']
  return status === 'active' ? ['IS NULL'] : ['IS NOT NULL']
}

function eventsStatement({ at }: Names, workspaceId: string, query: EventQuery): Statement {
  const known = `SELECT c.seq FROM ${at('events')} c WHERE c.id = $2 AND c.workspace_id = $1`
  const bound = query.after === null ? '-1' : `(${known})`
  const text = fromPrimary(`SELECT pg_catalog.json_build_object(
    'isKnown', ${query.after === null ? '$2::text IS NOT NULL' : `EXISTS (${known})`},
    'records', (SELECT pg_catalog.json_agg(
        ${at('event_record')}(ROW(p.*)::${at('events')}) ORDER BY p.seq)
      FROM (SELECT e.* FROM ${at('events')} e WHERE e.workspace_id = $1 AND e.seq > ${bound}
        ORDER BY e.seq LIMIT $3::text::bigint) p))`)
  return { text, values: [workspaceId, query.after ?? '', String(query.limit)] }
}

function bytea(hash: string): string {
  return `\\x${hash}`
}

function byteaArray(hashes: readonly string[]): string {
  return `{"\\\\x${hashes.join('","\\\\x')}"}`
}

/** A text array as PostgreSQL writes it, every element quoted. */
function textArray(texts: readonly string[]): string {
  return `{${texts.map((text) => `"${text.replace(/["\\]/g, '\\$&')}"`).join(',')}}`
}
