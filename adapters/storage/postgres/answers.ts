import type {
  AuditEventRecord,
  InsertOutcome,
  KeyPage,
  KeyRecord,
  RevokeOutcome,
  RotateOutcome,
} from '../../../src/index.ts'
import { notPrimary } from './readiness.ts'
import { STANDBY } from './statements.ts'

/** What each function of the schema answers, as JSON. */
interface Answers {
  readonly insert_key: InsertOutcome
  readonly revoke_key: RevokeOutcome
  readonly rotate_key: RotateOutcome
  readonly claim_events: readonly AuditEventRecord[]
}

/** The functions of the schema that take and answer JSON. */
export type CalledFunction = keyof Answers

/** Reads what `name` answered. */
export function answered<N extends CalledFunction>(_name: N, answer: string | null): Answers[N] {
  return parsed(answer)
}

/** Reads one record, a list of them or nothing. Frozen, because several callers may share it. */
export function answeredKeys(answer: string | null): readonly KeyRecord[] {
  const found: KeyRecord | readonly KeyRecord[] | null = parsed(answer)
  if (found === null) return []
  const records = isList(found) ? found : [found]
  for (const record of records) {
    Object.freeze(record.scopes)
    Object.freeze(record.creator)
    Object.freeze(record)
  }
  return records
}

/** Reads a page of which one record more was asked for than it may hold. */
export function answeredPage(answer: string | null, limit: number): KeyPage | null {
  const page: {
    readonly isKnown: boolean
    readonly activeKeys: number
    readonly records: readonly KeyRecord[] | null
  } = parsed(answer)
  if (!page.isKnown) return null
  const records = page.records ?? []
  const more = records.length > limit
  return { records: records.slice(0, limit), more, activeKeys: page.activeKeys }
}

/** Reads a page of events. */
export function answeredEvents(answer: string | null): readonly AuditEventRecord[] | null {
  const page: {
    readonly isKnown: boolean
    readonly records: readonly AuditEventRecord[] | null
  } = parsed(answer)
  return page.isKnown ? (page.records ?? []) : null
}

// The types are those of the schema's own functions; the core checks every record it uses.
function parsed<T>(answer: string | null): T {
  if (answer === STANDBY) throw notPrimary()
  return JSON.parse(answer ?? 'null')
}

function isList<T>(found: T | readonly T[]): found is readonly T[] {
  return Array.isArray(found)
}
