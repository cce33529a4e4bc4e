import { describe, expect, test } from 'vitest'
import { plans } from '../../../src/index.ts'
import { action, keyInput, openWorld, refusal, START_MS } from '../../support/world.ts'

const MINUTE_MS = 60_000
const EXPIRES_AT = new Date(START_MS + 10 * MINUTE_MS)

async function worldWithKey(options: Parameters<typeof openWorld>[0] = {}) {
  const world = openWorld(options)
  const { key } = await world.keys.createKey(keyInput({ expiresAt: EXPIRES_AT }))
  const update = (change: object) => world.keys.updateKey({ ...action(key.id), version: 1, change })
  world.asked()
  return { world, key, update }
}

/** The same, where every later look-up of the plan moves the clock on. */
async function worldWithSlowPlan(lookupMs: number) {
  let pass = () => {}
  const opened = await worldWithKey({
    entitlements: () => {
      pass()
      return plans.business
    },
  })
  pass = () => {
    opened.world.nowMs += lookupMs
  }
  return opened
}

test('a key that expires while its plan is looked up stays expired', async () => {
  const { world, update } = await worldWithSlowPlan(1)
  world.nowMs = EXPIRES_AT.getTime() - 1
  expect((await refusal(update({ expiresAt: null }))).code).toBe('key_expired')
  expect(world.asked()).not.toContain('update')
})

test('an update is dated after the plan was looked up', async () => {
  const { update } = await worldWithSlowPlan(5_000)
  expect((await update({ expiresAt: null })).updatedAt).toEqual(new Date(START_MS + 5_000))
})

test('in its last minute a key takes the expiry that it has, and none that is as soon', async () => {
  const { world, update } = await worldWithKey()
  world.nowMs = EXPIRES_AT.getTime() - MINUTE_MS / 2
  for (const expiresAt of [START_MS, EXPIRES_AT.getTime() - 1, world.nowMs + MINUTE_MS - 1]) {
    const { issues } = await refusal(update({ expiresAt: new Date(expiresAt) }))
    expect(issues).toMatchObject([{ path: ['change', 'expiresAt'], code: 'out_of_range' }])
  }
  const updated = await update({ expiresAt: EXPIRES_AT, name: 'ERP' })
  expect([updated.name, updated.expiresAt]).toEqual(['ERP', EXPIRES_AT])
})

describe('a change of metadata', () => {
  const entries = (count: number, value: string | null, name = 'n') =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`${name}${at}`, value]))

  test('may replace all entries, whatever the change itself comes to', async () => {
    const { world, key, update } = await worldWithKey()
    const full = await update({ metadata: entries(20, 'x'.repeat(190)) })
    const replaced = { ...entries(20, null), ...entries(20, 'y'.repeat(190), 'm') }
    const change = { metadata: replaced }
    const updated = await world.keys.updateKey({ ...action(key.id), version: full.version, change })
    expect(updated.metadata).toEqual(entries(20, 'y'.repeat(190), 'm'))
  })

  test.each([
    [entries(21, 'x'), 'must have at most 20 entries.'],
    [entries(9, 'x'.repeat(500)), 'must have at most 4096 bytes as JSON.'],
    [entries(41, null), 'must have at most 40 entries.'],
  ])('is refused: %j', async (metadata, message) => {
    const { update } = await worldWithKey()
    const { issues } = await refusal(update({ metadata }))
    expect(issues).toEqual([{ path: ['change', 'metadata'], code: 'too_long', message }])
  })
})
