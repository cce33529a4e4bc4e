import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { HOSTS, openHost, ROWS } from '../support/http/every-host.ts'
import { chosen } from '../support/http/guard-hosts.ts'
import { BASE } from '../support/http/management-call.ts'
import { exchange, type RawResponse } from '../support/http/raw-client.ts'
import { expectDescribed, SEEN } from '../support/http/routes.ts'

/** What a server adds by itself, and differs from one server to the next. */
const OF_SERVER = [
  ...['date', 'connection', 'keep-alive', 'x-powered-by', 'transfer-encoding', 'content-length'],
]

/** The answer without what differs by chance; of an answer that is the framework's own, the status alone. */
function digestOf({ status, lines, body }: RawResponse): string {
  if (!isOurs(lines)) return `${status} by the framework`
  const own = lines.filter(([name]) => !OF_SERVER.includes(name)).map((line) => line.join(': '))
  const text = [...own.sort(), body]
    .join('\n')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'AT')
    .replace(/"(exp|iat|uses)":\d+/g, '$1')
    .replace(/"lastUsedAt":[^,}]+/g, 'USED')
    .replace(/key_[\w-]+/g, 'ID')
    .replace(/svc_[\w-]+/g, 'SECRET')
    .replace(/"prefix":"[^"]*"/g, 'PREFIX')
  return `${status} ${createHash('sha256').update(text).digest('hex').slice(0, 8)}`
}

const isOurs = (lines: RawResponse['lines']) => lines.some(([name]) => name === 'referrer-policy')

/** Fails for an answer of the management routes that docs/openapi.json does not describe. */
function check(method: string, target: string, { status, lines, body }: RawResponse): void {
  if (!isOurs(lines) || !target.startsWith(BASE) || body === '') return
  const [pathname = ''] = target.slice(BASE.length).split('?')
  // What a URL makes of it is another path.
  if (pathname.includes('%2e')) return
  const json = JSON.parse(body)
  expectDescribed(method, pathname, {
    ...{ status, json, verdict: '', headers: Object.fromEntries(lines) },
  })
}

test.each(chosen(Object.keys(HOSTS).map((name) => ({ name }))))(
  'every request gets the answer of the table in $name, as docs/openapi.json describes it',
  async ({ name }) => {
    const { host, textOf } = await openHost(HOSTS[name] ?? expect.fail(name))
    const answers: string[] = []
    for (const { request } of ROWS) {
      const response = await exchange(host.port, textOf(request, ['Connection: close']))
      check(request[0], request[1], response)
      answers.push(digestOf(response))
    }
    await host.close()
    const line = (at: number, answer: string) => `${JSON.stringify(ROWS[at]?.request)}\t${answer}`
    expect(answers.map((answer, at) => line(at, answer))).toEqual(
      ROWS.map(({ expected }, at) => line(at, expected(name))),
    )
    expect(ROWS.length).toBeGreaterThan(200)
    expect(SEEN.size).toBeGreaterThan(30)
  },
  120_000,
)
