import { expect, test } from 'vitest'
import { memoryStorage } from '../../../adapters/storage/memory.ts'
import { type Authentication, createApiKeys, plans } from '../../../src/index.ts'
import { keyInput, thrown } from '../../support/world.ts'

const options = () => ({ storage: memoryStorage(), entitlements: () => plans.business })

test('it gets each answer, and the very same object', async () => {
  const told: Authentication[] = []
  const onAuthentication = (answer: Authentication) => void told.push(answer)
  const keys = createApiKeys({ ...options(), onAuthentication })
  const { secret } = await keys.createKey(keyInput())
  const answers = [
    await keys.authenticate(`Bearer ${secret}`, 'contacts.read'),
    await keys.authenticateSecret(secret, null),
    await keys.authenticate('Basic x', null),
    await keys.authenticate(`Bearer ${secret}`, 'orders.write'),
  ]
  expect(told.map(({ ok }) => ok)).toEqual([true, true, false, false])
  expect(told.every((answer, at) => answer === answers[at])).toBe(true)
})

test('a route that narrows a guard does not call it: the request was counted', async () => {
  const told: unknown[] = []
  const keys = createApiKeys({ ...options(), onAuthentication: (answer) => void told.push(answer) })
  const { secret } = await keys.createKey(keyInput())
  const answer = await keys.authenticate(`Bearer ${secret}`, null)
  if (answer.ok) expect(keys.authorize(answer.key, 'orders.write').ok).toBe(false)
  expect(told).toHaveLength(1)
})

test.each([() => thrown(new Error('broken')), async () => thrown(new Error('broken'))])(
  'what it throws changes no answer',
  async (onAuthentication) => {
    const keys = createApiKeys({ ...options(), onAuthentication })
    expect(await keys.authenticate('', null)).toEqual({ ok: false, reason: 'missing' })
  },
)

test('an outage is no answer', async () => {
  const told: unknown[] = []
  const storage = Object.assign(memoryStorage(), {
    findByHash: () => Promise.reject(new Error('down')),
  })
  const onAuthentication = (answer: unknown) => void told.push(answer)
  const keys = createApiKeys({ ...options(), storage, onAuthentication })
  const { secret } = await keys.createKey(keyInput())
  await expect(keys.authenticate(`Bearer ${secret}`, null)).rejects.toThrow()
  expect(told).toEqual([])
})
