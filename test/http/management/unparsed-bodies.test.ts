import { describe, expect, test } from 'vitest'
import { BASE, JSON_TYPE, verdictOf } from '../../support/http/management-call.ts'
import { managementHosts } from '../../support/http/management-hosts.ts'
import { RawClient } from '../../support/http/raw-client.ts'
import {
  CANARY,
  hostOfRefusedBodies,
  sized,
  VALID,
  withField,
} from '../../support/http/refused-bodies.ts'

/** Where a parser of the host's comes first, its own error page answers such bodies. */
const hosts = managementHosts.filter(({ parsesFirst }) => !parsesFirst)

describe.each(hosts)('bodies that manageKeys in $name must not parse', ({ start }) => {
  const host = hostOfRefusedBodies(start)
  const { raw } = host

  test.each([
    { title: 'no JSON', body: `{"k": svc_live_${CANARY}` },
    { title: 'a single quote', body: `{'${CANARY}':1}` },
    { title: 'two values', body: `${VALID}${VALID}` },
    { title: 'a trailing comma', body: withField('').replace(',}', ',}') },
    { title: 'spaces alone', body: '   ' },
    { title: 'nothing', body: '' },
    { title: 'a byte order mark', body: `\xef\xbb\xbf${VALID}` },
    { title: 'a lone continuation byte', body: withField(`"${CANARY}":"\x80"`) },
    { title: 'an overlong NUL', body: withField(`"${CANARY}":"\xc0\x80"`) },
    { title: 'a UTF-8 surrogate', body: withField(`"${CANARY}":"\xed\xa0\x80"`) },
    { title: 'a cut character', body: `${VALID}\xd9` },
    { title: 'UTF-16', body: Buffer.from(VALID, 'utf16le').toString('latin1') },
    { title: 'NaN', body: withField('"uses":NaN') },
    { title: 'a raw control character', body: withField(`"${CANARY}":"\n"`) },
  ])('$title: 400', async ({ body }) => {
    const response = await raw(body)
    expect(verdictOf(response)).toBe('400 bad_request')
    expect(JSON.stringify(response)).not.toContain(CANARY)
  })

  test('a compressed body: 415, unread', async () => {
    const response = await raw('\x1f\x8b', [JSON_TYPE, 'Content-Encoding: gzip'])
    expect(verdictOf(response)).toBe('415 unsupported_media_type')
  })

  test('65,537 bytes in chunks: 413', async () => {
    const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`
    const body = chunk(sized(60_000)) + chunk(' '.repeat(5_537)) + chunk('')
    const response = await raw(body, [JSON_TYPE, 'Transfer-Encoding: chunked'])
    expect(verdictOf(response)).toBe('413 too_large')
  })

  test('a stated gigabyte is refused while it is still to come', async () => {
    const client = await RawClient.open(host.port)
    const head = ['Host: h', 'Cookie: session=noura', JSON_TYPE, 'Content-Length: 1000000000']
    client.write([`POST ${BASE}/keys HTTP/1.1`, ...head, '', ''].join('\r\n'))
    expect(verdictOf(await client.read())).toBe('413 too_large')
    client.destroy()
  })
})
