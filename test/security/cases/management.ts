import type { AdversarialCase } from './adversarial-case.ts'

const IDENTITY = 'test/http/management/identity.test.ts'
const OPERATIONS = 'test/http/management/operations.test.ts'
const LIFECYCLE = 'test/core/keys/rotate-revoke.test.ts'
const CREATE = 'test/core/keys/create-list.test.ts'
const USAGE = 'test/core/authenticate/usage-counter.test.ts'
const PG_FAULTS = 'test/storage/postgres/faults.test.ts'

/** Operations on keys. */
export const managementCases: readonly AdversarialCase[] = [
  {
    id: 'M01',
    given: 'fields in the body that are not the client’s',
    outcome: '422, nothing written',
    shownBy: [`${IDENTITY}: $field in the body: 422, and nothing is written`],
  },
  {
    id: 'M02',
    given: '200 creates at the limit from 4 processes',
    outcome: 'exactly the limit, never more at any moment',
    shownBy: [
      'test/support/processes.ts: 200 inserts from 4 processes reach exactly the limit',
      `${CREATE}: 100 creates at once at limit 5 leave exactly 5`,
    ],
  },
  {
    id: 'M03',
    given: 'revoked keys and the limit',
    outcome: 'they do not count',
    shownBy: [`${CREATE}: revoked keys make room; each workspace has its own`],
  },
  {
    id: 'M04',
    given: 'every operation after a downgrade',
    outcome: 'no create, rotate with the plan, revoke and list always',
    shownBy: [
      `${CREATE}: after a downgrade nothing is created until there is room`,
      `${LIFECYCLE}: works at the limit and above it, and never changes the number of keys`,
      `${OPERATIONS}: a plan without the API cannot create or rotate, but can list and revoke`,
    ],
  },
  {
    id: 'M05',
    given: 'a limit of Infinity, NaN, -1, "unlimited"',
    outcome: 'a fault of the host’s; only null is no limit',
    shownBy: ['test/core/authenticate/faults.test.ts: it answers %j'],
  },
  {
    id: 'M06',
    given: 'a rotation at the limit',
    outcome: 'works, the number of keys stays',
    shownBy: [
      `${LIFECYCLE}: works at the limit and above it, and never changes the number of keys`,
    ],
  },
  {
    id: 'M07',
    given: 'ids that are foreign, random, malformed, SQL',
    outcome: 'key_not_found, one and the same answer',
    shownBy: [
      `${LIFECYCLE}: %s: all are alike`,
      `${IDENTITY}: a key of another workspace is not there`,
    ],
  },
  {
    id: 'M08',
    given: '100 rotations of one key at once',
    outcome: 'one successor, the rest key_revoked',
    shownBy: [`${LIFECYCLE}: 100 at once: one successor, one event, and the rest hear key_revoked`],
  },
  {
    id: 'M09',
    given: 'a rotation against a revocation',
    outcome: 'one order, the old key is dead',
    shownBy: [`${LIFECYCLE}: against revocation: either order, and the old key is dead`],
  },
  {
    id: 'M10',
    given: 'a rotation whose event cannot be stored',
    outcome: 'nothing has happened',
    shownBy: [
      'test/storage/sqlite/storage.test.ts: a rotation whose event cannot be stored does not happen',
    ],
  },
  {
    id: 'M11',
    given: 'kill -9 in the middle of a change',
    outcome: 'the old state or the new one, change and event together',
    shownBy: ['test/support/processes.ts: a killed process leaves whole changes behind'],
  },
  {
    id: 'M12',
    given: 'a second revocation',
    outcome: 'the same key, the same moment',
    shownBy: [`${LIFECYCLE}: again: the same key, the same moment, no second event`],
  },
  {
    id: 'M13',
    given: 'a connection cut before and after the commit of a revocation',
    outcome: 'the answer is true',
    shownBy: [`${PG_FAULTS}: %s of a revocation: the answer tells who did it`],
  },
  {
    id: 'M17',
    given: 'what a list shows',
    outcome: 'the known fields and no other',
    shownBy: [`${CREATE}: shows the whole key and nothing more`],
  },
  {
    id: 'M18',
    given: 'names that reorder, hide or break text',
    outcome: 'NFC, or refused',
    shownBy: [
      'test/core/model/name.test.ts: every forbidden character, wherever it stands',
      'test/core/model/name.property.test.ts: any text is judged as the rules say',
    ],
  },
  {
    id: 'M19',
    given: 'the event of a rotation',
    outcome: 'who, where, both keys; no secret, no hash',
    shownBy: [
      'test/core/events/tap.test.ts: with the very event that is in the audit log',
      'test/core/events/tap.test.ts: no event of any kind holds a secret or a hash',
    ],
  },
  {
    id: 'M20',
    given: 'asking for a secret again',
    outcome: 'it was in one answer',
    shownBy: [`${IDENTITY}: a secret is in the one answer that issues it, and no hash in any`],
  },
  {
    id: 'M21',
    given: 'an idempotency key sent twice',
    outcome: 'no secret is stored to be replayed: two calls make two keys',
    shownBy: ['test/security/http.test.ts: an idempotency key replays no secret'],
  },
  {
    id: 'M22',
    given: 'a crash or a lost answer while uses are written',
    outcome: 'at most one interval lost, nothing counted twice',
    shownBy: [
      `${USAGE}: whose answer alone was lost counts once`,
      `${PG_FAULTS}: %s of a flush: every use counts once`,
      'test/support/processes.ts: a killed process leaves whole changes behind',
    ],
  },
  {
    id: 'M23',
    given: 'counts beyond 2^53, a clock set back',
    outcome: 'a fault; the last use only moves forward',
    shownBy: [
      'test/storage/sqlite/storage.test.ts: a count beyond 2^53 rejects',
      `${USAGE}: lastUsedAt only moves forward`,
    ],
  },
  {
    id: 'M24',
    given: 'several processes on one SQLite file',
    outcome: 'they wait for each other',
    shownBy: [
      'test/support/processes.ts: random changes from 3 processes keep every rule at every instant',
      'test/storage/sqlite/storage.test.ts: a change that is out of time rejects and has changed nothing',
    ],
  },
  {
    id: 'M25',
    given: 'a Redis that evicts or was flushed',
    outcome: 'fail closed',
    shownBy: [],
    without: 'There is no Redis storage.',
  },
]
