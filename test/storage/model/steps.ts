import fc from 'fast-check'
import { writeNotices } from '../../../src/events/index.ts'
import { defaultCatalogue, OutageError, plans } from '../../../src/index.ts'
import type { HeldKey, KeyStorage } from '../../../src/storage/index.ts'
import { digest, type Fault, type Method, type Side, WORKSPACES } from './side.ts'

/** Something that happens on both sides. */
export interface Step {
  readonly play: (side: Side) => Promise<unknown>
  /** What a failure prints. */
  readonly [fc.toStringMethod]: () => string
}

const ACTOR = { id: 'u_actor', name: 'Sami' }
const MINUTE_MS = 60_000

const workspaceId = fc.constantFrom(...WORKSPACES)
const pick = fc.nat(50)
const SCOPES = defaultCatalogue.scopes.slice(0, 6)
const creator = fc.constantFrom({ id: 'u_1', name: 'نورة' }, { id: 'u_2', name: 'Sami' })
/** Some of them end within a step of the clock. */
const lifetimeMs = fc.constantFrom(null, null, null, MINUTE_MS, 2 * MINUTE_MS, 600_000)
const resource = fc.constantFrom('p_1', 'p_2').map((project) => ({ project }))
const fields = {
  name: fc.constantFrom('CRM sync', 'مزامنة', 'x'.repeat(115), '🔑'.repeat(120)),
  scopes: fc.subarray([...SCOPES], { minLength: 1 }),
  resources: fc.constantFrom({}, { project: ['p_1'] }, { project: ['p_1', 'p_2'] }),
  networks: fc.constantFrom('any' as const, ['198.51.100.0/24']),
  note: fc.constantFrom(null, 'ملاحظة'),
}
const environment = fc.constantFrom('live' as const, 'test' as const)
const newKey = { workspaceId, environment, creator, ...fields }
const change = fc
  .record(
    { ...fields, metadata: fc.constantFrom({ team: 'مبيعات' }, { team: null, cost: '1' }) },
    { requiredKeys: [] },
  )
  .filter((edits) => Object.keys(edits).length > 0)
/** Mostly the key's own workspace. */
const isElsewhere = fc.nat(9).map((number) => number === 0)

function step<T>(
  name: string,
  given: fc.Arbitrary<T>,
  play: (side: Side, given: T) => Promise<unknown>,
) {
  return given.map(
    (value): Step => ({
      play: (side) => play(side, value),
      [fc.toStringMethod]: () => `${name} ${fc.stringify(value)}`,
    }),
  )
}

/** The same call so many times at once. */
async function atOnce(side: Side, times: number, call: () => Promise<unknown>) {
  const outcomes = await Promise.all(Array.from({ length: times }, () => side.outcome(call)))
  // Names are given by the order in which keys are stored, not in which calls answer.
  return times === 1
    ? outcomes
    : outcomes.map((outcome) => outcome.replace(/(key|evt) \d+/g, '')).sort()
}

function expiryAt(side: Side, ms: number | null) {
  return ms === null ? null : new Date(side.nowMs + ms)
}

function keyOf(
  side: Side,
  { pick: number, isElsewhere: elsewhere }: { pick: number; isElsewhere: boolean },
) {
  const { id, workspaceId: own, version } = side.pick(number)
  return { version, key: { id, workspaceId: elsewhere ? WORKSPACES[1] : own } }
}

const target = { pick, isElsewhere }

const create = step(
  'create',
  fc.record({ ...newKey, lifetimeMs, times: fc.constantFrom(1, 1, 1, 7) }),
  (side, { times, lifetimeMs: ms, ...input }) =>
    atOnce(side, times, () => side.keys.createKey({ ...input, expiresAt: expiryAt(side, ms) })),
)

const authenticate = step(
  'authenticate',
  fc.record({
    pick,
    scope: fc.option(fc.constantFrom(...SCOPES)),
    slip: fc.constantFrom('', '', '', 'x'),
    resource,
  }),
  (side, { pick: number, scope, slip, resource: touched }) =>
    side.keys.authenticateSecret(side.secretOf(number) + slip, scope, {
      ...{ resource: touched, clientAddress: '198.51.100.7' },
    }),
)

/** Everything that can be done to keys, and what happens around them. */
export const anyStep = fc.oneof(
  { arbitrary: create, weight: 4 },
  { arbitrary: authenticate, weight: 4 },
  step(
    'rotate',
    fc.record({
      ...target,
      overlapSeconds: fc.constantFrom(0, 0, 5, 600),
      times: fc.constantFrom(1, 1, 5),
    }),
    (side, { overlapSeconds, times, ...of }) => {
      const input = { ...keyOf(side, of).key, actor: ACTOR, overlapSeconds }
      return atOnce(side, times, () => side.keys.rotateKey(input))
    },
  ),
  step(
    'update',
    fc.record({
      ...target,
      change,
      lifetimeMs: fc.option(lifetimeMs, { nil: undefined }),
      isStale: isElsewhere,
    }),
    (side, { change: edits, lifetimeMs: ms, isStale, ...of }) => {
      const { key, version } = keyOf(side, of)
      const expiry = ms === undefined ? {} : { expiresAt: expiryAt(side, ms) }
      return side.keys.updateKey({
        ...{ ...key, actor: ACTOR, version: isStale ? version + 1 : version },
        change: { ...edits, ...expiry },
      })
    },
  ),
  step(
    'act',
    fc.record({
      ...target,
      act: fc.constantFrom('pauseKey' as const, 'resumeKey' as const, 'revokeKey' as const),
    }),
    (side, { act, ...of }) => side.keys[act]({ ...keyOf(side, of).key, actor: ACTOR }),
  ),
  step(
    'revokeKeys',
    fc.record({
      workspaceId,
      creatorId: fc.constantFrom('u_1', 'u_2'),
      scope: fc.constantFrom(...SCOPES),
    }),
    (side, filters) => side.keys.revokeKeys({ ...filters, actor: ACTOR }),
  ),
  step('removeResource', fc.record({ workspaceId, resource }), (side, input) =>
    side.keys.removeResource({ ...input, actor: ACTOR }),
  ),
  step(
    'import',
    fc.record({ ...newKey, first: fc.nat(6), count: fc.nat(5) }),
    (side, { first, count, ...row }) => {
      const numbers = Array.from({ length: count }, (_, at) => first + at)
      const rows = numbers.map((number) => ({
        ...row,
        format: 'old',
        digest: digest(`old_${number}`),
      }))
      return side.keys.importKeys(rows, { actor: ACTOR })
    },
  ),
  step('authenticate an import', fc.nat(10), (side, number) =>
    side.keys.authenticateSecret(`old_${number}`, null, { clientAddress: null, resource: 'none' }),
  ),
  step(
    'list',
    fc.record(
      {
        ...{ workspaceId, environment, resource, creatorId: fc.constantFrom('u_1', 'u_2') },
        status: fc.constantFrom(
          'active' as const,
          'retiring' as const,
          'paused' as const,
          'expired' as const,
          'revoked' as const,
        ),
        ...{
          sort: fc.constantFrom('createdAt' as const, '-createdAt' as const),
          limit: fc.integer({ min: 1, max: 6 }),
        },
      },
      { requiredKeys: ['workspaceId', 'limit'] },
    ),
    pages,
  ),
  step('erasePerson', fc.constantFrom('u_1', 'u_2', ACTOR.id), (side, personId) =>
    side.keys.erasePerson({ personId }),
  ),
  // The others stay open, or soon nothing could be created.
  step('eraseWorkspace', fc.constant('ws_c'), (side, erased) =>
    side.keys.eraseWorkspace({ workspaceId: erased }),
  ),
  step('flush', fc.constant(null), flush),
  step('deliver', fc.nat(20), deliver),
  step('notices', fc.constant(null), async ({ storage, nowMs }) => {
    await writeNotices({ storage: dueInOrder(storage), now: () => new Date(nowMs) }).stop()
  }),
  step(
    'plan',
    fc.record({
      workspaceId,
      plan: fc.constantFrom(
        plans.enterprise,
        plans.none,
        { publicApi: true, activeKeyLimit: 0 },
        { publicApi: true, activeKeyLimit: 3 },
      ),
    }),
    async (side, { workspaceId: of, plan }) => void side.plans.set(of, plan),
  ),
  step(
    'clock',
    // No step ends within 10 seconds before the end of a key that was made at another one.
    fc.oneof(
      fc.constantFrom(7_200_000, -MINUTE_MS),
      fc.integer({ min: 1, max: 15 }).map((n) => n * 5_000),
    ),
    async (side, ms) => {
      side.nowMs += ms
    },
  ),
  step(
    'faults',
    fc.record({
      method: fc.constantFrom<Method>('read', 'write', 'write', 'addUses'),
      kinds: fc.array(fc.constantFrom<Fault>('busy', 'lost'), { minLength: 1, maxLength: 3 }),
    }),
    // A read that is lost is an outage; only changes are repeated.
    async (side, { method, kinds }) =>
      side.arm(method, method === 'read' ? kinds.map(() => 'busy') : kinds),
  ),
)

/** The order of keys that are due at the same instant is a storage's own: here, that of their creation. */
function dueInOrder(storage: KeyStorage): KeyStorage {
  const due: KeyStorage['due'] = async ({ atMs, limit }) => {
    const held = [...(await storage.due({ atMs, limit: 10_000 }))]
    const byPlace = (one: HeldKey, other: HeldKey) =>
      Number(one.record.noticeAtMs) - Number(other.record.noticeAtMs) ||
      one.record.workspaceId.localeCompare(other.record.workspaceId) ||
      one.place - other.place
    return held.sort(byPlace).slice(0, limit)
  }
  return new Proxy(storage, {
    get: (target, name: keyof KeyStorage) => {
      const method: unknown = target[name]
      if (name === 'due') return due
      return typeof method === 'function' ? method.bind(target) : method
    },
  })
}

/** Reads all pages of a list. */
async function pages({ keys }: Side, query: Parameters<Side['keys']['listKeys']>[0]) {
  const read = []
  for (let cursor: string | null = null; ; ) {
    const { nextCursor, ...page } = await keys.listKeys({ ...query, cursor })
    read.push(page)
    if (nextCursor === null) return read
    cursor = nextCursor
  }
}

/** Flushes until it works. */
async function flush({ keys }: Side): Promise<void> {
  for (;;) {
    try {
      return await keys.flush()
    } catch (error) {
      if (!(error instanceof OutageError)) throw error
    }
  }
}

/** Delivers the oldest events of each workspace. */
async function deliver({ storage }: Side, limit: number) {
  const claim = { relay: 'relay', leaseMs: 600_000, except: [] }
  const claimed = await storage.claimEvents({ ...claim, limit: 10_000 })
  const taken = WORKSPACES.flatMap((of) =>
    claimed.filter((event) => event.workspaceId === of).slice(0, limit),
  )
  await storage.acknowledgeEvents(
    'relay',
    taken.map(({ id }) => id),
  )
  return taken
}
