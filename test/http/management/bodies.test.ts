import { describe, expect, test } from 'vitest'
import { hostForAll } from '../../support/http/host-for.ts'
import { testKeys } from '../../support/http/keys.ts'
import {
  BASE,
  JSON_TYPE,
  jsonOf,
  NEW_KEY,
  post,
  send,
  verdictOf,
} from '../../support/http/management-call.ts'
import { managementHosts } from '../../support/http/management-hosts.ts'
import { exchange, RawClient } from '../../support/http/raw-client.ts'
import {
  CANARY,
  hostOfRefusedBodies,
  sized,
  VALID,
  withField,
} from '../../support/http/refused-bodies.ts'

describe.each(managementHosts)('bodies of manageKeys in $name', ({ parsesFirst, start }) => {
  const host = hostOfRefusedBodies(start)
  const { raw } = host

  test.each([
    { title: 'no fields', body: {}, paths: [['name'], ['environment'], ['scopes']] },
    { title: 'a list', body: [NEW_KEY], paths: [[]] },
    { title: 'an empty name', body: { ...NEW_KEY, name: ' ' }, paths: [['name']] },
    { title: '121 characters', body: { ...NEW_KEY, name: 'ش'.repeat(121) }, paths: [['name']] },
    { title: 'a bidi override', body: { ...NEW_KEY, name: 'a\u202eb' }, paths: [['name']] },
    { title: 'no scopes', body: { ...NEW_KEY, scopes: [] }, paths: [['scopes']] },
    { title: 'a wildcard', body: { ...NEW_KEY, scopes: ['*'] }, paths: [['scopes', 0]] },
    {
      title: 'three things at once',
      body: { name: 7, environment: 'LIVE', scopes: ['contacts.read', CANARY] },
      paths: [['name'], ['environment'], ['scopes', 1]],
    },
    { title: 'scopes by name', body: { ...NEW_KEY, scopes: { [CANARY]: 1 } }, paths: [['scopes']] },
    { title: 'a strange field', body: { ...NEW_KEY, [CANARY]: CANARY }, paths: [[]] },
    {
      title: 'many strange fields',
      body: { ...NEW_KEY, [`${CANARY}1`]: 1, [`${CANARY}2`]: 2, hash: 'x' },
      paths: [[], ['hash']],
    },
  ])('$title: 422 that names every problem', async ({ body, paths }) => {
    const response = await post(host.port, '/keys', body)
    expect(verdictOf(response)).toBe('422 invalid_input')
    expect(jsonOf(response).issues.map(({ path }: { path: unknown }) => path)).toEqual(paths)
    expect(response.body).not.toContain(CANARY)
  })

  test('__proto__ is a field like any other', async () => {
    for (const name of ['__proto__', 'constructor', 'prototype']) {
      const response = await raw(withField(`"${name}":{"workspaceId":"ws_2"}`))
      expect(jsonOf(response).issues).toMatchObject([{ path: [name], code: 'unknown_field' }])
    }
    const inherited = `{"__proto__":${VALID}}`
    expect(jsonOf(await raw(inherited)).issues.length).toBe(4)
  })

  test('JSON as deep as fits is refused like any other', async () => {
    const deep = 32_000
    const response = await raw(`${'['.repeat(deep)}${']'.repeat(deep)}`)
    expect(verdictOf(response)).toBe('422 invalid_input')
    const fields = `${'{"a":'.repeat(9_000)}1${'}'.repeat(9_000)}`
    expect(verdictOf(await raw(fields))).toBe('422 invalid_input')
  })

  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/json-patch+json',
    'application/problem+json',
    'application/jsonx',
    'text/json',
    'text/plain; application/json',
    'application/json, text/plain',
    'application/json; charset=utf-16',
    'canary',
    '*/*',
    '',
  ])('the type "%s": 415', async (type) => {
    const response = await raw(VALID, [`Content-Type: ${type}`])
    // The host's own parser refuses a charset it does not know.
    if (!(parsesFirst && type.includes('utf-16'))) {
      expect(verdictOf(response)).toBe('415 unsupported_media_type')
    }
    expect(response.status).toBeGreaterThanOrEqual(400)
    expect(response.body).not.toContain(CANARY)
  })

  test('65,537 bytes: 413, stated or counted', async () => {
    expect(verdictOf(await raw(sized(65_537)))).toBe('413 too_large')
  })

  test('a client that leaves in the middle of its body harms nobody', async () => {
    const client = await RawClient.open(host.port)
    const head = ['Host: h', 'Cookie: session=noura', JSON_TYPE, 'Content-Length: 100']
    client.write([`POST ${BASE}/keys HTTP/1.1`, ...head, '', '{"name":'].join('\r\n'))
    await new Promise((resolve) => setTimeout(resolve, 20))
    client.destroy()
    expect((await send(host.port, { path: '/scopes' })).status).toBe(200)
  })

  test('rotate and revoke take no fields', async () => {
    for (const verb of ['rotate', 'revoke']) {
      const path = `/keys/key_000000000000000000000/${verb}`
      for (const body of [{ name: 'x' }, { [CANARY]: 1 }, [], [1]]) {
        const response = await post(host.port, path, body)
        expect(verdictOf(response)).toBe('422 invalid_input')
        expect(response.body).not.toContain(CANARY)
      }
    }
  })
})

describe.each(managementHosts)('good bodies of manageKeys in $name', ({ start }) => {
  const backend = testKeys()
  const host = hostForAll(() => start(backend.keys))

  test.each([
    'application/json',
    'application/json; charset=utf-8',
    'Application/JSON;charset="UTF-8"',
    'application/json ; x=y',
  ])('the type "%s" is fine', async (type) => {
    const headers = [`Content-Type: ${type}`]
    const response = await send(host.port, { path: '/keys', headers, body: NEW_KEY })
    expect(response.status).toBe(201)
  })

  test('65,536 bytes, stated or in chunks, are fine', async () => {
    const body = sized(65_536)
    expect((await send(host.port, { path: '/keys', body })).status).toBe(201)
    const chunked = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`
    const headers = [JSON_TYPE, 'Transfer-Encoding: chunked']
    const response = await send(host.port, { path: '/keys', headers, body: chunked })
    expect(response.status).toBe(201)
  })

  test('a character cut between two packets is put together again', async () => {
    const body = Buffer.from(JSON.stringify({ ...NEW_KEY, name: 'مفتاح' })).toString('latin1')
    const cut = body.indexOf('\xd9') + 1
    const client = await RawClient.open(host.port)
    const head = ['Host: h', 'Cookie: session=noura', JSON_TYPE, `Content-Length: ${body.length}`]
    client.write([`POST ${BASE}/keys HTTP/1.1`, ...head, '', body.slice(0, cut)].join('\r\n'))
    await new Promise((resolve) => setTimeout(resolve, 20))
    client.write(body.slice(cut))
    const response = await client.read()
    expect(jsonOf(response).key.name).toBe('مفتاح')
    client.destroy()
  })

  test('the connection lives on after a body that was too large', async () => {
    const client = await RawClient.open(host.port)
    const call = (length: number, body: string) => {
      const head = ['Host: h', 'Cookie: session=noura', JSON_TYPE, `Content-Length: ${length}`]
      return [`POST ${BASE}/keys HTTP/1.1`, ...head, '', body].join('\r\n')
    }
    client.write(call(90_000, sized(90_000)))
    expect((await client.read()).status).toBe(413)
    client.write(call(VALID.length, VALID))
    expect((await client.read()).status).toBe(201)
    client.destroy()
  })

  test('an absolute-form target is the same route', async () => {
    const head = ['Host: h', 'Cookie: session=noura']
    const text = [`GET http://h${BASE}/keys?limit=1 HTTP/1.1`, ...head, '', ''].join('\r\n')
    expect((await exchange(host.port, text)).status).toBe(200)
  })
})
