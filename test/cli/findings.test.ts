import { describe, expect, test } from 'vitest'
import { type Check, findingsOf } from '../../adapters/cli/commands/findings.ts'
import type { StorageDiagnosis } from '../../src/storage/index.ts'

const WELL: StorageDiagnosis = {
  system: 'PostgreSQL 18.4',
  mode: 'primary',
  schemaVersion: 2,
  neededVersion: 2,
  clockAheadMs: 3,
  clockErrorMs: 1,
  missingRights: [],
  keys: { active: 4, paused: 0, retiring: 1, expired: 2, revoked: 7 },
  activeKeyCounts: { wrong: 0, repaired: 0, repair: 'UPDATE 1' },
  pendingEvents: { count: 1, oldestAtMs: 0 },
  sequenceRepair: null,
}

test('a database without faults', () => {
  expect(findingsOf(WELL).map(({ check, state, text }) => `${check} ${state}: ${text}`)).toEqual([
    'reachable well: PostgreSQL 18.4 answers.',
    'primary well: The server takes changes.',
    'schema well: The tables are at version 2.',
    'clock well: The clocks of this machine and of the database agree within 0.0 s.',
    'rights well: This role has every right that it needs.',
    'events well: 1 event has not been acknowledged by a relay; the oldest is from 1970-01-01T00:00:00.000Z.',
    'keys well: 4 active, 0 paused, 1 retiring, 2 expired, 7 revoked.',
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
    [{ clockAheadMs: 1_001 }, 'clock', 'well', /agree within 1\.0 s/],
    [{ clockAheadMs: 1_002 }, 'clock', 'wrong', /machine is 1\.0 s behind that of the database/],
    [{ clockAheadMs: -90_000 }, 'clock', 'wrong', /machine is 90\.0 s ahead of that of the/],
    [{ clockAheadMs: -1_900, clockErrorMs: 900 }, 'clock', 'well', /agree within 1\.9 s/],
    [{ pendingEvents: null }, 'events', 'unknown', /cannot be counted/],
    [
      { pendingEvents: { count: 0, oldestAtMs: null } },
      'events',
      'well',
      /^0 events have not .*y\.$/,
    ],
    [{ sequenceRepair: 'SELECT 1' }, 'events', 'wrong', /copies no sequences\. Run `SELECT 1`/],
    [{ keys: null }, 'keys', 'unknown', /cannot be counted/],
    [
      { activeKeyCounts: { wrong: 1, repaired: 0, repair: 'UPDATE 1' } },
      'keys',
      'wrong',
      /in 1 workspace: .* Run `UPDATE 1`\.$/,
    ],
    [
      { activeKeyCounts: { wrong: 2, repaired: 5, repair: 'UPDATE 1' }, keys: null },
      'keys',
      'wrong',
      /in 2 workspaces: /,
    ],
    [
      { activeKeyCounts: { wrong: 0, repaired: 3, repair: 'UPDATE 1' } },
      'keys',
      'well',
      /7 revoked\. A count of active keys was too low and was repaired, 3 times\.$/,
    ],
    [
      { activeKeyCounts: { wrong: 0, repaired: 1, repair: 'UPDATE 1' } },
      'keys',
      'well',
      /was repaired, once\.$/,
    ],
    [{ activeKeyCounts: null }, 'keys', 'well', /^4 active, .* 7 revoked\.$/],
  ]

  test.each(cases)('%j: %s %s', (change, check, state, text) => {
    const found = findingsOf({ ...WELL, ...change }).find((finding) => finding.check === check)
    expect(found).toMatchObject({ state, text: expect.stringMatching(text) })
  })
})
