import type { Statement } from '../../../adapters/storage/lib/postgres/driver.ts'
import type { PostgresPool } from '../../../adapters/storage/postgres.ts'

/** What a plan reads, by name, sorted and without repeats. */
export interface PlannedNodes {
  readonly usedIndexes: readonly string[]
  /** Tables that are read from one end to the other. */
  readonly scannedTables: readonly string[]
}

/** Asks the server how it would carry the statement out. */
export async function plannedNodes(
  pool: PostgresPool,
  { text, values }: Pick<Statement, 'text' | 'values'>,
): Promise<PlannedNodes> {
  const { rows } = await pool.query(`EXPLAIN (FORMAT JSON) ${text}`, [...values])
  const nodes = [...nodesIn(rows)]
  return {
    usedIndexes: names(nodes, 'Index Name'),
    scannedTables: names(
      nodes.filter((node) => String(Reflect.get(node, 'Node Type')).includes('Seq Scan')),
      'Relation Name',
    ),
  }
}

function* nodesIn(value: unknown): Generator<object> {
  if (typeof value !== 'object' || value === null) return
  if ('Node Type' in value) yield value
  for (const inner of Object.values(value)) yield* nodesIn(inner)
}

function names(nodes: readonly object[], property: string): readonly string[] {
  const found = nodes.map((node): unknown => Reflect.get(node, property))
  const texts = found.flatMap((name) => (typeof name === 'string' ? [name] : []))
  return [...new Set(texts)].sort()
}
