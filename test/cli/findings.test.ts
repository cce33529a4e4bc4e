import { describe, expect, test } from 'vitest'
import { type Check, findingsOf } from '../../adapters/cli/commands/findings.ts'
import type { StorageDiagnosis } from '../../src/storage/index.ts'

const WELL: StorageDiagnosis = {
  system: 'PostgreSQL 18.4',
  mode: 'primary',
  schemaVersion: 2,
  neededVersion: 2,
  missingRights: [],
  pendingEvents: { count: 1, oldestAtMs: 0 },
}

test('a database without faults', () => {
  expect(findingsOf(WELL).map(({ check, state, text }) => `${check} ${state}: ${text}`)).toEqual([
    'reachable well: PostgreSQL 18.4 answers.',
    'primary well: The server takes changes.',
    'schema well: The tables are at version 2.',
    'rights well: This role has every right that it needs.',
    'events well: 1 event has not been acknowledged by a relay; the oldest is from 1970-01-01T00:00:00.000Z.',
  ])
})

describe('what it says of', () => {
  const cases: readonly [Partial<StorageDiagnosis>, Check, string, RegExp][] = [
    [{ mode: 'replica' }, 'primary', 'wrong', /read replica: connect to the primary/],
    [{ mode: 'read_only' }, 'primary', 'wrong', /read-only: turn default_transaction_read_only/],
    [{ schemaVersion: null }, 'schema', 'unknown', /may not read the version/],
    [{ schemaVersion: 0 }, 'schema', 'wrong', /no tables: run `npx miftah migrate`/],
    [{ schemaVersion: 1 }, 'schema', 'wrong', /at version 1: run `npx miftah migrate`/],
    [
      { schemaVersion: 3 },
      'schema',
      'wrong',
      /this release only knows versions up to 2: update miftah/,
    ],
    [{ schemaVersion: 1 }, 'rights', 'unknown', /once the tables are up to date/],
    [{ missingRights: ['a', 'b'] }, 'rights', 'wrong', /lacks a, b: apply the SQL/],
    [{ pendingEvents: null }, 'events', 'unknown', /cannot be counted/],
    [
      { pendingEvents: { count: 0, oldestAtMs: null } },
      'events',
      'well',
      /^0 events have not .*y\.$/,
    ],
  ]

  test.each(cases)('%j: %s %s', (change, check, state, text) => {
    const found = findingsOf({ ...WELL, ...change }).find((finding) => finding.check === check)
    expect(found).toMatchObject({ state, text: expect.stringMatching(text) })
  })
})
