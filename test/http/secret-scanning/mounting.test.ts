import express from 'express'
import fastify from 'fastify'
import { afterEach, describe, expect, test } from 'vitest'
import { revokeLeakedKeys as inExpress } from '../../../adapters/http/express.ts'
import { revokeLeakedKeys as inFastify } from '../../../adapters/http/fastify.ts'
import { revokeLeakedKeys } from '../../../adapters/http/secret-scanning.ts'
import { GitHub } from '../../support/http/github.ts'
import { listen } from '../../support/http/guard-hosts.ts'
import { testKeys } from '../../support/http/keys.ts'

/*
 * What else a host may do with a delivery before the endpoint answers; what it answers is in
 * ./deliveries.test.ts.
 */

const { keys } = testKeys()
const github = new GitHub('key-1')
const PATH = '/github/alerts'
const headers = { 'content-type': 'application/json', ...github.sign('[]') }
let answerEarly = () => {}
let asked = 0

const fetchKeys = () => {
  asked += 1
  answerEarly()
  return github.fetchKeys()
}

afterEach(() => {
  answerEarly = () => {}
  asked = 0
})

describe('revokeLeakedKeys in express', () => {
  const deliver = async (early: (res: express.Response) => void) => {
    const receive = inExpress(keys, { fetchKeys })
    let received: Promise<void> | undefined
    const app = express()
    app.use(PATH, (req, res) => {
      early(res)
      received = receive(req, res)
    })
    const host = await listen(app)
    const init = { method: 'POST', headers, body: '[]' }
    const { status } = await fetch(`http://127.0.0.1:${host.port}${PATH}`, init)
    await received
    await host.close()
    return [status, asked]
  }

  test('does nothing where someone has answered before', async () => {
    expect(await deliver((res) => void res.status(408).end())).toEqual([408, 0])
  })

  test('writes nothing where someone else answers meanwhile', async () => {
    const late = (res: express.Response) => {
      answerEarly = () => void res.status(408).end()
    }
    expect(await deliver(late)).toEqual([408, 1])
  })
})

describe('revokeLeakedKeys in fastify', () => {
  test('writes nothing where someone else answers meanwhile', async () => {
    const log: string[] = []
    const app = fastify({ logger: { level: 'warn', stream: { write: (line) => log.push(line) } } })
    app.addHook('preHandler', async (_request, reply) => {
      answerEarly = () => void reply.code(408).send('late')
    })
    app.register(inFastify(keys, { fetchKeys }), { prefix: PATH })
    const response = await app.inject({ method: 'POST', url: PATH, headers, payload: '[]' })
    expect([response.statusCode, response.body, asked, log]).toEqual([408, 'late', 1, []])
    await app.close()
  })

  test('has no routes below its own', async () => {
    const app = fastify()
    app.register(inFastify(keys, { fetchKeys }), { prefix: PATH })
    const send = (url: string) => app.inject({ method: 'POST', url, headers, payload: '[]' })
    expect((await send(PATH)).statusCode).toBe(200)
    expect((await send(`${PATH}/`)).statusCode).toBe(200)
    expect((await send(`${PATH}/more`)).statusCode).toBe(404)
    await app.close()
  })
})

test('revokeLeakedKeys in fetch: a body that was read before is the host’s fault', async () => {
  const errors: unknown[] = []
  const onError = (error: unknown) => errors.push(error)
  const request = new Request(`https://host.example${PATH}`, {
    method: 'POST',
    headers,
    body: '[]',
  })
  await request.text()
  const { status } = await revokeLeakedKeys(keys, { fetchKeys, onError })(request)
  expect(status).toBe(500)
  expect(errors).toMatchObject([{ message: expect.stringMatching(/read before/) }])
})
