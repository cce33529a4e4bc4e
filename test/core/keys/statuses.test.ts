import { describe, expect, test } from 'vitest'
import { plans } from '../../../src/index.ts'
import { mintId } from '../../../src/secret/mint.ts'
import {
  codeOf,
  DAY_MS,
  DAY_S,
  eventsOf,
  later,
  MINUTE_MS,
  verdict,
  worldWithKey,
} from '../../support/lifecycle/world.ts'
import { action, keyInput, refusal, START_MS } from '../../support/world.ts'

const SCOPES = ['contacts.read', 'flows.read']
type Opened = Awaited<ReturnType<typeof open>>

async function open() {
  const opened = await worldWithKey({ scopes: SCOPES, expiresAt: later(2 * DAY_MS) })
  const rotate = (overlapSeconds: number) =>
    opened.keys.rotateKey({ ...opened.one, overlapSeconds })
  return { ...opened, rotate }
}

/** How a key comes into each status. */
const STATUSES: Readonly<Record<string, (opened: Opened) => unknown>> = {
  active: () => {},
  paused: ({ keys, one }) => keys.pauseKey(one),
  retiring: ({ rotate }) => rotate(DAY_S),
  retired: async ({ world, rotate }) => {
    await rotate(DAY_S)
    world.nowMs = START_MS + DAY_MS
  },
  replaced: ({ rotate }) => rotate(0),
  revoked: ({ keys, one }) => keys.revokeKey(one),
  expired: ({ world }) => {
    world.nowMs = START_MS + 2 * DAY_MS
  },
  'paused and expired': async ({ world, keys, one }) => {
    await keys.pauseKey(one)
    world.nowMs = START_MS + 2 * DAY_MS
  },
}

type Act = (opened: Opened & { readonly version: number }) => Promise<{ readonly status: string }>

/** What can be done to a key. The answer is its status afterwards, or the code of the refusal. */
const ACTS: readonly Act[] = [
  ({ update, version }) => update({ name: 'ERP' }, version),
  ({ update, version }) => update({ scopes: ['flows.read'] }, version),
  ({ keys, one }) => keys.pauseKey(one),
  ({ keys, one }) => keys.resumeKey(one),
  async ({ rotate }) => (await rotate(0)).replaced,
  async ({ rotate }) => (await rotate(60)).replaced,
  ({ keys, one }) => keys.revokeKey(one),
]

const all = (answer: string) => Array<string>(6).fill(answer)
const PAUSED = ['paused', 'paused', 'paused', 'active', 'revoked', 'invalid_input', 'revoked']
const ONLY_NARROWED = ['key_rotated', 'retiring', 'key_rotated', 'key_rotated']
const RETIRING = [...ONLY_NARROWED, 'key_rotated', 'key_rotated', 'revoked']

test.each([
  // The status, what `authenticate` says, and: rename, narrow, pause, resume, rotate, with overlap, revoke.
  ['active', 'ok', 'active', 'active', 'paused', 'active', 'revoked', 'retiring', 'revoked'],
  ['paused', 'paused', ...PAUSED],
  ['retiring', 'ok', ...RETIRING],
  ['retired', 'revoked', ...all('key_rotated'), 'revoked'],
  ['replaced', 'revoked', ...all('key_revoked'), 'revoked'],
  ['revoked', 'revoked', ...all('key_revoked'), 'revoked'],
  ['expired', 'expired', ...all('key_expired'), 'revoked'],
  ['paused and expired', 'expired', ...all('key_expired'), 'revoked'],
])('a key that is %s: %s, %s, %s, %s, %s, %s, %s, %s', async (status, verdicts, ...answers) => {
  for (const [at, act] of ACTS.entries()) {
    const opened = await open()
    await STATUSES[status]?.(opened)
    expect(await verdict(opened.world, opened.secret)).toBe(verdicts)
    const before = await opened.now()
    expect((await opened.keys.findKeyBySecret(opened.secret))?.status).toBe(before.status)
    const events = await eventsOf(opened.world)
    const acted = act({ ...opened, version: before.version })
    const said = await acted.then(
      (key) => key.status,
      ({ code }) => code,
    )
    expect(said, `answer ${at}`).toBe(answers[at])
    if (said === (await opened.now()).status) continue
    const error = await refusal(acted)
    expect(error.replacedBy).toBe(said === 'key_rotated' ? before.replacedBy : undefined)
    expect(await opened.now()).toEqual(before)
    expect(await eventsOf(opened.world)).toEqual(events)
  }
})

test('the end of a key is an instant: accepted until it, refused from it on', async () => {
  for (const [fields, overlapSeconds, ended] of [
    [{ expiresAt: later(DAY_MS) }, 0, 'expired'],
    [{}, DAY_S, 'revoked'],
    // An old key that expires before its overlap is over does not get more time.
    [{ expiresAt: later(DAY_MS) }, 2 * DAY_S, 'revoked'],
  ] as const) {
    const { world, keys, one, secret, now } = await worldWithKey(fields)
    if (overlapSeconds > 0) await keys.rotateKey({ ...one, overlapSeconds })
    for (const [ms, said] of [
      [0, 'ok'],
      [DAY_MS - 1, 'ok'],
      [DAY_MS, ended],
    ] as const) {
      world.nowMs = START_MS + ms
      expect(await verdict(world, secret)).toBe(said)
    }
    expect((await now()).status).toBe(ended)
  }
})

describe('without a plan', () => {
  test.each([
    [{ name: 'Other' }, true],
    [{ metadata: { team: 'sales' } }, true],
    [{ scopes: ['flows.read'] }, true],
    [{ expiresAt: later(2 * DAY_MS - 1) }, true],
    [{ scopes: [...SCOPES, 'webhooks.read'] }, false],
    [{ scopes: ['webhooks.read'] }, false],
    [{ expiresAt: later(3 * DAY_MS) }, false],
    [{ expiresAt: null }, false],
  ])('an update to %j is made: %s', async (change, isMade) => {
    const { world, update } = await open()
    world.plan = plans.none
    if (isMade) expect((await update(change)).version).toBe(2)
    else expect(await codeOf(update(change))).toBe('plan_required')
  })

  test('a key is paused and revoked, and not created, resumed or rotated', async () => {
    const { world, keys, one, rotate } = await open()
    world.plan = plans.none
    await keys.pauseKey(one)
    for (const call of [keys.resumeKey(one), rotate(0), keys.createKey(keyInput())]) {
      expect(await codeOf(call)).toBe('plan_required')
    }
    expect((await keys.revokeKey(one)).status).toBe('revoked')
  })
})

describe('a change that finds its work done', () => {
  const other = { id: 'u_9', name: 'x' }
  test.each<[string, (opened: Opened) => Promise<{ readonly version: number }>]>([
    ['pauseKey', ({ keys, one }) => keys.pauseKey({ ...one, actor: other })],
    ['resumeKey', ({ keys, one }) => keys.resumeKey({ ...one, actor: other })],
    ['updateKey', ({ update, key }) => update({ name: ` ${key.name} `, metadata: { none: null } })],
    ['updateKey', ({ update, key: { scopes, expiresAt } }) => update({ scopes, expiresAt })],
    ['updateKey', ({ update }) => update({})],
    ['revokeKey', ({ keys, one }) => keys.revokeKey({ ...one, actor: other })],
  ])('%s answers the same key, has the storage confirm it, and makes no event', async (_, act) => {
    const opened = await open()
    const first = await act(opened)
    const events = await eventsOf(opened.world)
    opened.world.nowMs += MINUTE_MS
    opened.world.asked()
    for (let times = 0; times < 3; times += 1) expect(await act(opened)).toEqual(first)
    expect(opened.world.asked()).toContain('write')
    expect(await eventsOf(opened.world)).toEqual(events)
  })
})

test.each([
  ...['', 'x', 'key_', `key_${'a'.repeat(22)}`, `x${mintId('key')}`, '../../etc/passwd', '\0'],
  ...[mintId('key'), 'of another workspace'],
])('no key is found by the id %j', async (given) => {
  const { world, keys } = await open()
  const foreign = await keys.createKey(keyInput({ workspaceId: 'ws_2' }))
  const id = given.startsWith('of') ? foreign.key.id : given
  world.asked()
  const one = action(id)
  for (const call of [
    () => keys.getKey({ workspaceId: 'ws_1', id }),
    () => keys.updateKey({ ...one, version: 1, change: { name: 'x' } }),
    () => keys.pauseKey(one),
    () => keys.rotateKey(one),
    () => keys.revokeKey(one),
  ]) {
    const { code, message } = await refusal(call())
    expect([code, message]).toEqual(['key_not_found', 'There is no such key in this workspace.'])
  }
  if (!/^key_.{21}$/.test(id)) expect(world.asked()).not.toContain('read')
  expect(await keys.getKey({ workspaceId: 'ws_2', id: foreign.key.id })).toEqual(foreign.key)
})
