import express from 'express'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { requireKey } from '../../../adapters/http/express.ts'
import type { ApiKeyEvent } from '../../../src/index.ts'
import { listen, type RunningHost } from '../../support/http/guard-hosts.ts'
import { testKeys } from '../../support/http/keys.ts'
import { headerOf } from '../../support/http/raw-client.ts'
import { get } from '../../support/http/requests.ts'

const events: ApiKeyEvent[] = []
const { keys } = testKeys({ onEvent: (event) => void events.push(event) })
let host: RunningHost
beforeAll(async () => {
  const app = express()
  const headers = { 'x-message': 'المفتاح' }
  const onDenied = () => ({ status: 403, headers, body: 'mine' })
  app.use(requireKey(keys, null, { onDenied }))
  host = await listen(app)
})
afterAll(() => host.close())

test('headers of onDenied that cannot be sent: the own answer, and a report to onEvent', async () => {
  const response = await get(host.port, '/')
  expect(response.status).toBe(401)
  expect(headerOf(response, 'www-authenticate')).toEqual(['Bearer realm="api"'])
  expect(events).toContainEqual(expect.objectContaining({ type: 'outage', operation: 'onDenied' }))
})
