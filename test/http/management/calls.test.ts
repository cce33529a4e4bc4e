import { describe, expect, test } from 'vitest'
import { bytesOf, type Call } from '../../../adapters/http/lib/call.ts'
import { createManagement } from '../../../adapters/http/lib/management/create-management.ts'
import { testKeys, USER } from '../../support/http/keys.ts'
import { NEW_KEY } from '../../support/http/management-call.ts'

/*
 * What some host can hand over, and the one of `Request` cannot: its `Headers` have joined the lines
 * of one name, and its URL has always a host.
 */

const TYPE = { 'content-type': ['application/json'] }
const body = JSON.stringify(NEW_KEY)

async function statusOf(lines: Readonly<Record<string, readonly string[]>>, call: object = {}) {
  const context = () => ({ workspaceId: 'ws_1', user: USER })
  const options = { context, allowedOrigins: ['https://a.example'] }
  const management = createManagement(testKeys().keys, options)
  const creation: Call<null> = {
    method: 'POST',
    basePath: '',
    pathname: '/keys',
    query: '',
    host: 'own.example',
    lines: (name) => ({ ...TYPE, ...lines })[name] ?? [],
    body: bytesOf(body),
    request: null,
  }
  return (await management.answer({ ...creation, ...call })).status
}

describe('two lines of one name', () => {
  test.each([
    ['content-type', 'application/json', 415],
    ['origin', 'https://own.example', 403],
    ['origin', 'https://a.example', 403],
    ['sec-fetch-site', 'same-origin', 403],
  ])('%s: %s', async (name, value, status) => {
    expect(await statusOf({ [name]: [value] })).toBe(201)
    expect(await statusOf({ [name]: [value, value] })).toBe(status)
  })

  test('content-encoding: each must be none', async () => {
    expect(await statusOf({ 'content-encoding': ['identity'] })).toBe(201)
    expect(await statusOf({ 'content-encoding': ['identity', 'identity'] })).toBe(201)
    expect(await statusOf({ 'content-encoding': ['identity', 'gzip'] })).toBe(415)
  })
})

describe('a host that is not one', () => {
  test.each([
    [null, 'http://null'],
    ['', 'file://'],
    ['a b', 'http://own.example'],
    ['[', 'http://own.example'],
  ])('%j is not the origin %s', async (host, origin) => {
    expect(await statusOf({ origin: [origin] }, { host })).toBe(403)
    expect(await statusOf({}, { host })).toBe(201)
  })
})

describe('a body in memory', () => {
  const spaced = (bytes: number) => body + ' '.repeat(bytes - body.length)

  test.each([
    ['text', (text: string) => text],
    ['bytes', (text: string) => new TextEncoder().encode(text)],
  ])('as %s is read whole, up to 64 KiB', async (_, from) => {
    expect(await statusOf({}, { body: bytesOf(from(body)) })).toBe(201)
    expect(await statusOf({}, { body: bytesOf(from(spaced(65_536))) })).toBe(201)
    expect(await statusOf({}, { body: bytesOf(from(spaced(65_537))) })).toBe(413)
  })
})
