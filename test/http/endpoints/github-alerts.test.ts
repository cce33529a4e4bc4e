import { generateKeyPairSync, sign } from 'node:crypto'
import express from 'express'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { githubAlerts } from '../../../examples/github-alerts/github-alerts.ts'
import { listen, type RunningHost } from '../../support/http/guard-hosts.ts'
import { issueKey, testKeys } from '../../support/http/keys.ts'

/* The endpoint of examples/github-alerts, called as GitHub calls it. */

const world = testKeys()
const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const key = String(publicKey.export({ type: 'spki', format: 'pem' }))
const fetchList = async () => ({ public_keys: [{ key_identifier: 'k1', key }] })
let host: RunningHost
beforeAll(async () => {
  host = await listen(express().use('/alerts', githubAlerts(world.keys, fetchList)))
})
afterAll(() => host.close())

async function deliver(token: string, { keyId = 'k1', change = '' } = {}) {
  const body = JSON.stringify([{ token, type: 'miftah_key' }])
  const response = await fetch(`http://127.0.0.1:${host.port}/alerts`, {
    method: 'POST',
    headers: {
      'github-public-key-identifier': keyId,
      'github-public-key-signature': sign('sha256', Buffer.from(body), privateKey).toString(
        'base64',
      ),
    },
    body: `${body}${change}`,
  })
  return response.ok ? (await response.json())[0].label : response.status
}

test('revokes what GitHub has signed, and nothing else', async () => {
  const { secret } = await issueKey(world)
  const isAccepted = async () => (await world.keys.authenticate(`Bearer ${secret}`, null)).ok
  expect(await deliver(secret, { change: ' ' })).toBe(403)
  expect(await deliver(secret, { keyId: 'k2' })).toBe(503)
  expect(await isAccepted()).toBe(true)
  expect(await deliver(secret)).toBe('true_positive')
  expect(await deliver(secret)).toBe('true_positive')
  expect(await isAccepted()).toBe(false)
  expect(await deliver('svc_live_x')).toBe('false_positive')
})
