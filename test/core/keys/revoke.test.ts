import { describe, expect, test } from 'vitest'
import { plans } from '../../../src/index.ts'
import { mintSecret } from '../../../src/secret/mint.ts'
import type { KeyStorage } from '../../../src/storage/index.ts'
import {
  DAY_MS,
  DAY_S,
  eventsOf,
  later,
  MINUTE_MS,
  verdict,
  worldWithKey,
} from '../../support/lifecycle/world.ts'
import { START_MS, WORKSPACE, withoutUsage } from '../../support/world.ts'

describe('a revocation', () => {
  test('stops the key at once and for good', async () => {
    const { world, keys, key, one, secret } = await worldWithKey()
    world.nowMs = START_MS + MINUTE_MS
    const revokedAt = later(MINUTE_MS)
    expect(await keys.revokeKey(one)).toEqual({
      ...{ ...key, status: 'revoked', version: 2, updatedAt: revokedAt, revokedAt },
    })
    expect(world.events.at(-1)).toMatchObject({ data: { reason: null, endedOverlap: false } })
    expect(await verdict(world, secret)).toBe('revoked')
  })

  test.each(['leaked', 'unused', 'reported', 'exposed', 'other'] as const)(
    'says why: %s',
    async (reason) => {
      const { world, keys, one } = await worldWithKey()
      await keys.revokeKey({ ...one, reason })
      expect(world.events.at(-1)).toMatchObject({ type: 'api_key.revoked', data: { reason } })
    },
  )

  test('ends an overlap now, and leaves the replacement', async () => {
    const { world, keys, one, secret } = await worldWithKey()
    const replacement = await keys.rotateKey({ ...one, overlapSeconds: DAY_S })
    world.nowMs = START_MS + MINUTE_MS
    const revokedAt = later(MINUTE_MS)
    expect(await keys.revokeKey(one)).toMatchObject({ status: 'revoked', revokedAt })
    expect(world.events.at(-1)).toMatchObject({ data: { endedOverlap: true } })
    expect(await verdict(world, secret)).toBe('revoked')
    expect(await verdict(world, replacement.secret)).toBe('ok')
  })

  test.each([1, 2])(
    '%i days into an overlap of one moves nothing and makes no event',
    async (days) => {
      const { world, keys, one, now } = await worldWithKey()
      await keys.rotateKey({ ...one, overlapSeconds: DAY_S })
      world.nowMs = START_MS + days * DAY_MS
      const revoked = await keys.revokeKey(one)
      expect(revoked).toMatchObject({ status: 'revoked', revokedAt: later(DAY_MS) })
      expect(await eventsOf(world)).toEqual(['created', 'rotated'])
      // For a process whose clock is behind as well.
      world.nowMs = START_MS
      expect((await now()).status).toBe('revoked')
    },
  )
})

describe('a secret', () => {
  test('finds its key, whatever its state and its plan, without a use or an event', async () => {
    const { world, keys, key, one, secret, now } = await worldWithKey()
    world.plan = plans.none
    expect(await keys.findKeyBySecret(secret)).toEqual(withoutUsage(key))
    const revoked = await keys.revokeKey(one)
    expect(await keys.findKeyBySecret(secret)).toEqual(withoutUsage(revoked))
    await keys.flush()
    expect(await now()).toMatchObject({ uses: 0, lastUsedAt: null })
    expect(world.events).toHaveLength(2)
  })

  test('revokes its key on every plan, once', async () => {
    const { world, keys, key, secret } = await worldWithKey()
    world.plan = plans.none
    for (let times = 0; times < 2; times += 1) {
      expect(await keys.revokeBySecret(secret)).toMatchObject({ id: key.id, status: 'revoked' })
    }
    expect(world.events.slice(1)).toMatchObject([
      {
        type: 'api_key.revoked',
        actor: { id: 'miftah:holder', name: 'Holder of the key' },
        data: { reason: 'reported' },
      },
    ])
  })

  test.each(['%s\n', ' \t%s\r\n', '\uFEFF%s', '\u00A0%s\u2028'])(
    'may have white space around it, except in a request: %j',
    async (text) => {
      const { keys, key, secret } = await worldWithKey()
      const given = text.replace('%s', secret)
      expect(await keys.findKeyBySecret(given)).toMatchObject({ id: key.id })
      expect(await keys.authenticateSecret(given, null)).toMatchObject({ reason: 'malformed' })
      expect(await keys.revokeBySecret(given)).toMatchObject({ id: key.id, status: 'revoked' })
    },
  )

  test('of another brand is not looked up', async () => {
    const { world, keys, secret } = await worldWithKey({}, { brand: 'acme' })
    world.asked()
    const texts = ['', ' ', 'nonsense', `${secret} ${secret}`, `Bearer ${secret}`, secret.slice(1)]
    const others = [null, undefined, 7, { length: secret.length }, [secret]]
    for (const other of [...texts, mintSecret('svc', 'live'), ...others]) {
      expect(await keys.findKeyBySecret(other as string)).toBeNull()
      expect(await keys.revokeBySecret(other as string)).toBeNull()
    }
    expect(world.asked()).toEqual([])
    expect(await keys.findKeyBySecret(mintSecret('acme', 'live'))).toBeNull()
    expect(world.asked()).toEqual(['findByHash'])
  })

  test('of a key that is deleted meanwhile revokes none', async () => {
    const { world, keys, secret } = await worldWithKey()
    world.misbehaviour.findByHash = async (...given: Parameters<KeyStorage['findByHash']>) => {
      const found = await world.stored.findByHash(...given)
      await keys.eraseWorkspace({ workspaceId: WORKSPACE })
      return found
    }
    expect(await keys.revokeBySecret(secret)).toBeNull()
  })
})
