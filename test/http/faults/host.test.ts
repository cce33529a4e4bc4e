import express, { type Request } from 'express'
import { expect, onTestFinished, test } from 'vitest'
import { manageKeys, requireScope } from '../../../adapters/http/express.ts'
import { memoryStorage } from '../../../adapters/storage/memory.ts'
import { createApiKeys, plans } from '../../../src/index.ts'
import { listen } from '../../support/http/guard-hosts.ts'
import { USER } from '../../support/http/keys.ts'
import { BASE, NEW_KEY, post } from '../../support/http/management-call.ts'
import { linesOfTest } from '../../support/http/plain-host.ts'

/* What a host of Express says that is put together in the wrong order. */

const keys = createApiKeys({ storage: memoryStorage(), entitlements: () => plans.business })
const context = () => ({ workspaceId: 'ws_1', user: USER })

async function statusOn(app: express.Express): Promise<number> {
  const host = await listen(app)
  onTestFinished(() => host.close())
  return (await post(host.port, '/keys', NEW_KEY)).status
}

test('a parser in front that keeps nothing of the body', async () => {
  const lines = linesOfTest()
  const app = express()
  app.use((req, _res, next) => void req.resume().on('end', next))
  app.use(BASE, manageKeys(keys, { context }))
  expect(await statusOn(app)).toBe(500)
  expect(lines).toEqual([
    'miftah: A request was answered with an error: manageKeys: the body was read before; mount it earlier. (Reported once; set the option onError to be notified of every failure.)',
  ])
})

test('express.json() in front does no harm', async () => {
  const lines = linesOfTest()
  const app = express().use(express.json())
  expect(await statusOn(app.use(BASE, manageKeys(keys, { context })))).toBe(201)
  expect(lines).toEqual([])
})

test('the session comes after the routes that need it', async () => {
  const lines = linesOfTest()
  const app = express()
  const fromSession = (req: Request) => {
    const { session } = req as unknown as { session: { workspaceId: string } }
    return { workspaceId: session.workspaceId, user: USER }
  }
  app.use(BASE, manageKeys(keys, { context: fromSession }))
  app.use((req, _res, next) => {
    Object.assign(req, { session: { workspaceId: 'ws_1' } })
    next()
  })
  expect(await statusOn(app)).toBe(500)
  expect(lines).toEqual([
    expect.stringMatching(/answered with an error: TypeError at \S+host\.test\.ts:\d+:\d+\. /),
  ])
})

test('requireScope without a requireKey in front', async () => {
  const app = express().use(BASE, requireScope(keys, 'contacts.read'))
  const errors: unknown[] = []
  app.use((error: unknown, _req: Request, res: express.Response, _next: express.NextFunction) => {
    errors.push(error)
    res.sendStatus(500)
  })
  expect(await statusOn(app)).toBe(500)
  expect(errors).toMatchObject([
    { message: 'requireScope: no requireKey guards this route; mount one before it.' },
  ])
})
