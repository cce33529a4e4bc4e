import fastify from 'fastify'
import { expect, test } from 'vitest'
import { revokeLeakedKeys as inFastify } from '../../../adapters/http/fastify.ts'
import { revokeLeakedKeys } from '../../../adapters/http/secret-scanning.ts'
import { GitHub } from '../../support/http/github.ts'
import { testKeys } from '../../support/http/keys.ts'

const { keys } = testKeys()
const github = new GitHub('key-1')
const { fetchKeys } = github
const PATH = '/github/alerts'
const headers = { 'content-type': 'application/json', ...github.sign('[]') }

test('revokeLeakedKeys in fastify has no routes below its own', async () => {
  const app = fastify()
  app.register(inFastify(keys, { fetchKeys }), { prefix: PATH })
  const send = (url: string) => app.inject({ method: 'POST', url, headers, payload: '[]' })
  expect((await send(PATH)).statusCode).toBe(200)
  expect((await send(`${PATH}/`)).statusCode).toBe(200)
  expect((await send(`${PATH}/more`)).statusCode).toBe(404)
  await app.close()
})

test('revokeLeakedKeys in fetch: a body that was read before is the host’s fault', async () => {
  const errors: unknown[] = []
  const onError = (error: unknown) => errors.push(error)
  const init = { method: 'POST', headers, body: '[]' }
  const request = new Request(`https://host.example${PATH}`, init)
  await request.text()
  const { status } = await revokeLeakedKeys(keys, { fetchKeys, onError })(request)
  expect(status).toBe(500)
  expect(errors).toMatchObject([{ message: expect.stringMatching(/read before/) }])
})
