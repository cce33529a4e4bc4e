import { Controller, Get, UseGuards } from '@nestjs/common'
import express from 'express'
import fastify from 'fastify'
import { Hono } from 'hono'
import { expect, onTestFinished, test, vi } from 'vitest'
import * as inExpress from '../../../adapters/http/express.ts'
import * as inFastify from '../../../adapters/http/fastify.ts'
import * as inFetch from '../../../adapters/http/fetch.ts'
import * as inHono from '../../../adapters/http/hono.ts'
import * as inNest from '../../../adapters/http/nestjs.ts'
import {
  listen,
  listenFastify,
  type RunningHost,
  serveHono,
} from '../../support/http/guard-hosts.ts'
import { testKeys } from '../../support/http/keys.ts'
import { createNest, decorate, listenNest } from '../../support/http/nest-app.ts'

/*
 * The guard of one entry mounted on the host of another, as a wrong import in JavaScript does. TypeScript
 * refuses it (types.test-d.ts); without it the request must end in an error, or hang, but never pass.
 */

const { keys } = testKeys()

const GUARDS = {
  express: inExpress.requireKey(keys, null),
  fastify: inFastify.requireKey(keys, null),
  hono: inHono.requireKey(keys, null),
  fetch: inFetch.requireKey(keys, null),
  nestjs: inNest.requireKey(keys, null),
}

const handler = vi.fn(() => 'open')

/** Starts a host whose route calls the handler behind a guard. */
const HOSTS: Readonly<Record<string, (guard: never) => Promise<RunningHost>>> = {
  express: (guard) => {
    const app = express().get('/', guard, (_req, res) => void res.send(handler()))
    return listen(
      app.use(((_error, _req, res, _next) => {
        res.sendStatus(500)
      }) as express.ErrorRequestHandler),
    )
  },
  fastify: (guard) =>
    listenFastify(
      fastify({ forceCloseConnections: true }).get('/', { onRequest: guard }, async () =>
        handler(),
      ),
    ),
  hono: (guard) => listen(serveHono(new Hono().get('/', guard, (c) => c.text(handler())))),
  nestjs: async (guard) => {
    class Keys {
      list() {
        return handler()
      }
    }
    decorate(Keys, 'list', Get(), UseGuards(guard))
    Controller()(Keys)
    return listenNest(await createNest({ platform: 'express', controllers: [Keys] }))
  },
}

const PAIRS = Object.entries(HOSTS).flatMap(([host, start]) =>
  Object.entries(GUARDS)
    .filter(([made]) => made !== host)
    .map(([made, guard]) => ({ made, host, start, guard: guard as never })),
)

/** The status of an answer, or what came instead: no host, or no answer. */
async function outcomeOf({ start, guard }: (typeof PAIRS)[number]) {
  try {
    const host = await start(guard)
    onTestFinished(() => host.close())
    const signal = AbortSignal.timeout(300)
    return (await fetch(`http://127.0.0.1:${host.port}/`, { signal })).status
  } catch (error) {
    return error
  }
}

test.each(PAIRS)('a guard of $made in $host lets nothing through', async (pair) => {
  handler.mockClear()
  const outcome = await outcomeOf(pair)
  expect(handler).not.toHaveBeenCalled()
  expect(outcome).not.toBe(200)
})
