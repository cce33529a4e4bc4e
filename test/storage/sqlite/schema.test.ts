import { describe, expect, test } from 'vitest'
import {
  type Column,
  KEY_COLUMNS,
  USAGE_COLUMNS,
} from '../../../adapters/storage/lib/key-columns.ts'
import { COUNTS_WITHOUT_END } from '../../../adapters/storage/lib/key-conditions.ts'
import { VERSION_1 } from '../../../adapters/storage/lib/sqlite/schema.ts'
import { HIGHEST_CODE } from '../../../adapters/storage/lib/usage-history.ts'
import { ERASED_PERSON } from '../../../src/index.ts'
import { MAX_NAME_LENGTH } from '../../../src/model/name.ts'
import { inMemory } from '../../support/sqlite-files.ts'

// The schema is literal, so that it can be read. Here it is compared with the model.

const database = inMemory()
database.exec(VERSION_1)

function textOf(name: string): string {
  const row = database.prepare('SELECT sql FROM sqlite_schema WHERE name = ?').get(name)
  return (row as { sql: string }).sql.replaceAll(/\s+/g, ' ')
}

function columnsOf(table: string) {
  const rows = database.prepare(`SELECT name, type, "notnull" FROM pragma_table_info('${table}')`)
  return rows.all()
}

function expected({ name, kind }: Column) {
  const type = /^(count|version|instant)/.test(kind) ? 'INTEGER' : 'TEXT'
  return { name, type, notnull: kind.endsWith('?') ? 0 : 1 }
}

test('keys and usage have the columns of the model, in its order', () => {
  expect(columnsOf('miftah_keys')).toEqual([
    { name: 'position', type: 'INTEGER', notnull: 0 },
    { name: 'hash', type: 'BLOB', notnull: 1 },
    ...KEY_COLUMNS.map(expected),
  ])
  expect(columnsOf('miftah_usage').slice(1)).toEqual(USAGE_COLUMNS.map(expected))
})

describe('what erases a person changes nothing else', () => {
  const people = ['creator_id', 'creator_name', 'paused_by_id', 'paused_by_name']
  const kept = KEY_COLUMNS.map(({ name }) => name).filter(
    (name) => ![...people, 'version'].includes(name),
  )
  const triggers = ['keep_what_they_are', 'stay_revoked']
  test.each(triggers)('miftah_keys_%s compares every other column', (trigger) => {
    const [, compared = ''] = textOf(`miftah_keys_${trigger}`).split(/NOT \( \(/)
    const side = (row: string) => ['position', 'hash', ...kept].map((name) => `${row}.${name}`)
    expect(compared).toContain(`${side('NEW').join(', ')}) IS (${side('OLD').join(', ')}) AND`)
    for (const person of ['creator', 'paused_by']) {
      expect(compared).toContain(
        `(NEW.${person}_id, NEW.${person}_name) IS ('${ERASED_PERSON.id}', '${ERASED_PERSON.name}')`,
      )
    }
  })

  test('an event is compared but for its actor', () => {
    const events = columnsOf('miftah_events').map((column) => (column as { name: string }).name)
    const same = events.filter((name) => !name.startsWith('actor_'))
    const side = (row: string) => same.map((name) => `${row}.${name}`).join(', ')
    const text = textOf('miftah_events_are_not_updated')
    expect(text).toContain(`(${side('NEW')}) IS (${side('OLD')}) AND`)
    expect(text).toContain(`IS ('${ERASED_PERSON.id}', '${ERASED_PERSON.name}')`)
  })
})

test('keys are counted by the condition of the statements', () => {
  const ofRow = (row: string) => COUNTS_WITHOUT_END.replaceAll(/\w+_at_ms/g, `${row}.$&`)
  expect(textOf('miftah_keys_are_counted')).toContain(`WHEN ${ofRow('NEW')} BEGIN`)
  const again = textOf('miftah_keys_are_counted_again')
  expect(again).toContain(`WHEN (${ofRow('NEW')}) <> (${ofRow('OLD')})`)
  expect(again).toContain(`AND ${COUNTS_WITHOUT_END}) END`)
  expect(again).toContain(`AND NOT (${ofRow('NEW')}))`)
})

test('a count has an outcome that is known', () => {
  for (const table of ['miftah_usage_hours', 'miftah_usage_days']) {
    expect(textOf(table)).toContain(`outcome BETWEEN 0 AND ${HIGHEST_CODE})`)
  }
})

test('a name has the length of the model', () => {
  expect(textOf('miftah_keys')).toContain(`length(name) BETWEEN 1 AND ${MAX_NAME_LENGTH})`)
})
