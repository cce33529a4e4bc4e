import { exchange, headerOf, RawClient, timeless } from '../../support/http/raw-client.ts'
import { requestText } from '../../support/http/requests.ts'
import { type ComparedCase, holds, within } from './case.ts'
import { postText } from './post.ts'
import type { Subject } from './subject.ts'

/** Requests over raw sockets to the library's own handlers. */
export const httpCases: readonly ComparedCase[] = [
  {
    id: 'E01',
    given: 'the header line with the key twice',
    wanted: 'refused',
    async run(subject) {
      const { secret } = await subject.issue()
      const line = subject.http.keyLine(secret)
      if ((await ask(subject, [line])).status !== 200) throw new Error('the key itself is refused')
      const { status } = await ask(subject, [line, line])
      return holds(status >= 400, `${status}`)
    },
  },
  {
    id: 'E06',
    given: 'a bad key while a body of a gigabyte is still to come',
    wanted: 'refused before the body',
    async run(subject) {
      const client = await RawClient.open(subject.http.port)
      const { secret } = await subject.issue()
      const lines = [subject.http.keyLine(`${secret.slice(0, -1)}_`), 'Content-Length: 1000000000']
      client.write(
        requestText(subject.http.bodyRoute, ['Content-Type: application/json', ...lines], 'POST'),
      )
      const response = await within(3_000, client.read())
      client.destroy()
      return holds(response !== undefined && response.status >= 400, 'no answer after 3 s')
    },
  },
  {
    id: 'E09',
    given: 'a refusal with 401',
    wanted: 'a WWW-Authenticate challenge (RFC 9110 §11.6.1)',
    async run(subject) {
      const { id, secret } = await subject.issue()
      await subject.revoke(id)
      const response = await ask(subject, [subject.http.keyLine(secret)])
      const challenges = headerOf(response, 'www-authenticate')
      return holds(
        response.status === 401 && challenges.length > 0,
        `${response.status} without one`,
      )
    },
  },
  {
    id: '',
    given: 'an unknown and a revoked key',
    wanted: 'the same bytes for both',
    async run(subject) {
      const { id, secret } = await subject.issue()
      await subject.revoke(id)
      const revoked = await ask(subject, [subject.http.keyLine(secret)])
      const other = secret.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a'))
      const unknown = await ask(subject, [subject.http.keyLine(other)])
      return holds(timeless(revoked) === timeless(unknown), revoked.body.slice(0, 60))
    },
  },
  {
    id: 'H33',
    given: 'a store that rejects',
    wanted: '503 with Retry-After',
    async run(subject) {
      const { secret } = await subject.issue()
      subject.probe.beforeLookup = () => Promise.reject(new Error('connection refused'))
      const response = await ask(subject, [subject.http.keyLine(secret)])
      const retry = headerOf(response, 'retry-after').length > 0
      return holds(response.status === 503 && retry, `${response.status}`)
    },
  },
  {
    id: '',
    given: 'a key in the URL',
    wanted: 'opens nothing',
    async run(subject) {
      const { secret } = await subject.issue()
      const { route, port } = subject.http
      const names = ['access_token', 'api_key', 'apiKey', 'key', 'x-api-key']
      const query = names.map((name) => `${name}=${secret}`).join('&')
      const response = await exchange(port, requestText(`${route}?${query}`))
      return holds(!opened(response), `${response.status}`)
    },
  },
  {
    id: 'E11',
    given: 'headers of proxies and overrides with a refused key',
    wanted: 'opens nothing',
    async run(subject) {
      const { id, secret } = await subject.issue()
      await subject.revoke(id)
      const claims = [
        'X-Forwarded-For: 127.0.0.1',
        'X-Original-URL: /',
        'X-HTTP-Method-Override: OPTIONS',
      ]
      const response = await ask(subject, [...claims, subject.http.keyLine(secret)])
      return holds(!opened(response), `${response.status}`)
    },
  },
  {
    id: 'M01',
    given: 'somebody else’s identity in the body of a create',
    wanted: 'refused, or the key is the caller’s own',
    async run(subject) {
      const { port, session, createPath, createBody } = subject.http
      const foreign = await subject.http.issueForeign()
      for (const field of ['userId', 'workspaceId', 'referenceId', 'ownerId', 'creator']) {
        const body = createBody({ [field]: 'the-second' })
        const response = await exchange(port, postText(createPath, session, body))
        if (response.status < 300 && response.body.includes('the-second')) {
          return holds(false, `${field} was taken`)
        }
      }
      return holds((await subject.check(foreign.secret)) === 'accepted', 'the other key is gone')
    },
  },
  {
    id: 'M01',
    given: 'a create without a session',
    wanted: 'refused',
    async run(subject) {
      const { port, createPath, createBody } = subject.http
      const lines = ['Content-Type: application/json']
      const response = await exchange(
        port,
        postText(createPath, lines, createBody({ userId: 'x' })),
      )
      return holds(response.status >= 400, `${response.status}`)
    },
  },
  {
    id: 'M01',
    given: 'unknown fields in the body of a create',
    wanted: '4xx that names them',
    async run(subject) {
      const { port, session, createPath, createBody } = subject.http
      const body = createBody({ revokedAt: null, hash: 'x', enabledd: true })
      const response = await exchange(port, postText(createPath, session, body))
      return holds(response.status >= 400, `${response.status}, passed over`)
    },
  },
  {
    id: 'M07',
    given: 'ending a key of another tenant',
    wanted: 'the same answer as for an id that does not exist',
    async run(subject) {
      const { id, secret } = await subject.http.issueForeign()
      const foreign = await subject.http.end(id)
      const random = await subject.http.end(id.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a')))
      const alive = (await subject.check(secret)) === 'accepted'
      return holds(
        alive && foreign.status === random.status && foreign.body === random.body,
        `${foreign.status} and ${random.status}`,
      )
    },
  },
  {
    id: '',
    given: 'a create with a session from another origin, or as text/plain',
    wanted: 'refused',
    async run(subject) {
      const { port, session, createPath, createBody } = subject.http
      const rest = session.filter((line) => !/^origin/i.test(line))
      const elsewhere = [...rest, 'Origin: https://evil.example', 'Sec-Fetch-Site: cross-site']
      const plain = session.map((line) => line.replace('application/json', 'text/plain'))
      const statuses: number[] = []
      for (const lines of [elsewhere, plain]) {
        statuses.push((await exchange(port, postText(createPath, lines, createBody()))).status)
      }
      return holds(
        statuses.every((status) => status >= 400),
        statuses.join(' and '),
      )
    },
  },
  {
    id: 'E09',
    given: 'the answer that holds a new secret',
    wanted: 'Cache-Control: no-store',
    async run(subject) {
      const { port, session, createPath, createBody } = subject.http
      const response = await exchange(port, postText(createPath, session, createBody()))
      if (response.status >= 300) throw new Error(`no key was made: ${response.status}`)
      const control = headerOf(response, 'cache-control').join(', ')
      return holds(control.includes('no-store'), control === '' ? 'no Cache-Control' : control)
    },
  },
]

function ask({ http }: Subject, lines: readonly string[]) {
  return exchange(http.port, requestText(http.route, lines))
}

/** Whether a request got what a key is for; better-auth answers `null` with 200 to a stranger. */
function opened({ status, body }: { readonly status: number; readonly body: string }): boolean {
  return status < 400 && body !== 'null'
}
