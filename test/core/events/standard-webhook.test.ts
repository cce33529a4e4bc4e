import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { toStandardWebhook } from '../../../src/events/index.ts'
import { simulateTime } from '../../support/simulated-time.ts'
import { action, keyInput, openWorld } from '../../support/world.ts'

simulateTime()

const webhook = new Webhook('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw')

async function revocation() {
  const { keys } = openWorld()
  const { key } = await keys.createKey(keyInput({ name: 'مزامنة 🔑' }))
  await keys.revokeKey({ ...action(key.id), reason: 'leaked' })
  const event = (await keys.listEvents({ workspaceId: 'ws_1' })).events.at(-1)
  return { key, event: event ?? expect.fail('there is an event') }
}

test('the library of Standard Webhooks verifies what it has signed', async () => {
  const { key, event } = await revocation()
  const { id, timestamp, payload } = toStandardWebhook(event)
  const headers = {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(timestamp.getTime() / 1_000)),
    'webhook-signature': webhook.sign(id, timestamp, payload),
  }
  expect(webhook.verify(payload, headers)).toEqual({
    type: 'api_key.revoked',
    timestamp: event.at.toISOString(),
    data: {
      ...{ workspaceId: 'ws_1', keyId: key.id, actor: event.actor, name: 'مزامنة 🔑' },
      ...{ environment: 'live', scopes: ['contacts.read'], prefix: key.prefix },
      ...{ endedOverlap: false, reason: 'leaked' },
    },
  })
  expect(() => webhook.verify(`${payload} `, headers)).toThrow()
})

test('the id is that of the event, the timestamp that of the attempt', async () => {
  const { event } = await revocation()
  const sentAt = new Date(5_000)
  const first = toStandardWebhook(event, sentAt)
  expect(first).toMatchObject({ id: event.id, timestamp: sentAt })
  const again = toStandardWebhook(event)
  expect(again.timestamp).toEqual(new Date())
  expect([again.id, again.payload]).toEqual([first.id, first.payload])
})
