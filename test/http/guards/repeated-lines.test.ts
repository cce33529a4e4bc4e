import { createServer, type IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import { headerLines, type NodeRequest } from '../../../adapters/http/lib/node/header-lines.ts'
import { listen } from '../../support/http/guard-hosts.ts'
import { exchange } from '../../support/http/raw-client.ts'
import { requestText } from '../../support/http/requests.ts'

const TWICE = ['Authorization: Bearer a', 'authorization: Bearer b']

test('joinDuplicateHeaders does not hide that there were two lines', async () => {
  let request: IncomingMessage | undefined
  const server = createServer({ joinDuplicateHeaders: true }, (incoming, outgoing) => {
    request = incoming
    outgoing.end()
  })
  const host = await listen(server)
  await exchange(host.port, requestText('/', TWICE))
  await host.close()
  expect(request?.headers.authorization).toBe('Bearer a, Bearer b')
  expect(request && headerLines(request)('authorization')).toEqual(['Bearer a', 'Bearer b'])
})

test('a request without raw lines is read from its headers', () => {
  const request = { rawHeaders: [], headers: { authorization: 'Bearer a' } } as unknown
  const lines = headerLines(request as NodeRequest)
  expect(lines('authorization')).toEqual(['Bearer a'])
  expect(lines('origin')).toEqual([])
})

test.each([undefined, []])(
  'without raw lines (%j) every value of a header is one',
  (rawHeaders) => {
    const headers = { 'set-cookie': ['a', 'b'], empty: '' }
    const lines = headerLines({ rawHeaders, headers } as unknown as NodeRequest)
    expect(lines('set-cookie')).toEqual(['a', 'b'])
    expect(lines('empty')).toEqual([''])
  },
)

test('a line is found by its whole name, and a name without a value is no line', () => {
  const rawHeaders = [
    'authorization2',
    'x',
    'Authorizatiom',
    'y',
    'AUTHORIZATION',
    '',
    'Authorization',
  ]
  const request = { rawHeaders, headers: { authorization: 'other' } } as unknown
  const lines = headerLines(request as NodeRequest)
  expect(lines('authorization')).toEqual([''])
  expect(lines('x')).toEqual([])
})
