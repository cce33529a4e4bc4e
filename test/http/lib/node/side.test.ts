import { createServer, type ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { NODE } from '../../../../adapters/http/lib/node/side.ts'
import { listen } from '../../../support/http/guard-hosts.ts'
import { headerOf } from '../../../support/http/raw-client.ts'
import { get } from '../../../support/http/requests.ts'

/** What a client receives of a response that `write` has written. */
async function received(write: (response: ServerResponse) => void) {
  const host = await listen(createServer((_request, response) => write(response)))
  const response = await get(host.port, '/')
  await host.close()
  return response
}

const ANSWER = {
  status: 403,
  headers: { vary: 'Authorization', 'cache-control': 'no-store' },
  body: 'no',
}

test('an answer adds to Vary and replaces other headers', async () => {
  const response = await received((outgoing) => {
    outgoing.setHeader('Vary', ['Origin', 'Accept'])
    outgoing.setHeader('Cache-Control', 'public')
    NODE.write(outgoing, ANSWER)
  })
  expect([response.status, response.body]).toEqual([403, 'no'])
  expect(headerOf(response, 'vary')).toEqual(['Origin, Accept, Authorization'])
  expect(headerOf(response, 'cache-control')).toEqual(['no-store'])
})

test('an answer without Vary leaves the header as it is', async () => {
  const response = await received((outgoing) => {
    outgoing.setHeader('Vary', 'Origin')
    NODE.write(outgoing, { ...ANSWER, headers: {} })
  })
  expect(headerOf(response, 'vary')).toEqual(['Origin'])
})

test('Authorization is added once, however many guards a route has', async () => {
  const response = await received((outgoing) => {
    NODE.add(outgoing, { vary: 'Authorization' })
    NODE.add(outgoing, { vary: 'Authorization' })
    outgoing.end()
  })
  expect(headerOf(response, 'vary')).toEqual(['Authorization'])
})
