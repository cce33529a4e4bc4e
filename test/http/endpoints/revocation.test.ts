import { expect, test } from 'vitest'
import { revokeBySecret } from '../../../adapters/http/fetch.ts'
import { OutageError } from '../../../src/index.ts'
import { mintSecret } from '../../../src/secret/mint.ts'
import { postForm } from '../../support/http/forms.ts'
import { issueKey, testKeys, USER } from '../../support/http/keys.ts'
import { FORMAT } from '../../support/lifecycle/import.ts'

/* Revocation by the holder without a server between. That every host answers alike is in hosts.test.ts. */

function opened(setup: Parameters<typeof testKeys>[0] = {}) {
  const world = testKeys(setup)
  const errors: unknown[] = []
  const endpoint = revokeBySecret(world.keys, { onError: (error) => errors.push(error) })
  const revoke = (token: string, more: object = {}) => postForm(endpoint, { token, ...more })
  const accepts = async (secret: string) =>
    (await world.keys.authenticate(`Bearer ${secret}`, null)).ok
  return { world, errors, endpoint, revoke, accepts }
}

test('the same bytes whether there was a key or not', async () => {
  const { world, errors, revoke, accepts } = opened({ formats: [FORMAT] })
  const issue = () => issueKey(world)
  const [fresh, paused, retiring] = [await issue(), await issue(), await issue()]
  const action = { workspaceId: 'ws_1', actor: USER }
  await world.keys.pauseKey({ ...action, id: paused.key.id })
  await world.keys.rotateKey({ ...action, id: retiring.key.id, overlapSeconds: 600 })
  const secrets = [fresh.secret, paused.secret, retiring.secret]
  const others = [fresh.secret, mintSecret('svc', 'live'), 'nonsense', 'old_key', 'مفتاح']
  const answers = []
  for (const token of [...secrets, ...others, 'x'.repeat(60_000)]) answers.push(await revoke(token))
  answers.push(await revoke(fresh.secret, { token_type_hint: 'access_token' }))
  expect(new Set(answers.map(({ bytes }) => bytes)).size).toBe(1)
  expect([answers[0]?.verdict, answers[0]?.text]).toEqual(['200', ''])
  expect(answers[0]?.headers.get('cache-control')).toBe('no-store')
  expect(await Promise.all(secrets.map(accepts))).toEqual([false, false, false])
  expect(errors).toEqual([])
})

test('no 200 while it is not known to hold', async () => {
  const { world, errors, revoke, accepts } = opened({ storageTimeoutMs: 300 })
  const { secret } = await issueKey(world)
  world.outage = true
  const failed = await revoke(secret)
  expect(failed.verdict).toBe('503 temporarily_unavailable')
  expect(failed.headers.get('retry-after')).toBe('1')
  world.outage = false
  world.lostAnswer = new Error('the connection was lost')
  expect((await revoke(secret)).verdict).toBe('503 temporarily_unavailable')
  expect(errors).toEqual([expect.any(OutageError), expect.any(OutageError)])
  world.lostAnswer = null
  expect((await revoke(secret)).verdict).toBe('200')
  expect(await accepts(secret)).toBe(false)
})

test('1,000 at once: 16 are worked on, the others get 503, and then it works again', async () => {
  const { world, revoke, accepts } = opened({ storageTimeoutMs: 60_000 })
  const { secret } = await issueKey(world)
  const waiting: (() => void)[] = []
  world.beforeLookup = () => new Promise((resolve) => waiting.push(resolve))
  const verdicts: string[] = []
  const all = Array.from({ length: 1_000 }, async () => {
    verdicts.push((await revoke(mintSecret('svc', 'live'))).verdict)
  })
  await expect.poll(() => verdicts.length).toBe(984)
  expect(new Set(verdicts)).toEqual(new Set(['503 temporarily_unavailable']))
  expect((await revoke(secret)).verdict).toBe('503 temporarily_unavailable')
  world.beforeLookup = async () => {}
  for (const go of waiting) go()
  await Promise.all(all)
  expect(verdicts.filter((verdict) => verdict === '200')).toHaveLength(16)
  expect(world.lookups).toBe(16)
  expect((await revoke(secret)).verdict).toBe('200')
  expect(await accepts(secret)).toBe(false)
})
