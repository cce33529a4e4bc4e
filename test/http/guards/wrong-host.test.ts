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
const handler = vi.fn(() => 'open')

/** Starts a host whose route calls the handler behind a guard. */
const HOSTS: Readonly<Record<string, (guard: never) => RunningHost | Promise<RunningHost>>> = {
  express: (guard) => listen(express().get('/', guard, (_req, res) => void res.send(handler()))),
  fastify: (guard) => {
    const app = fastify({ forceCloseConnections: true })
    return listenFastify(app.get('/', { onRequest: guard }, async () => handler()))
  },
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

const GUARDS = {
  express: inExpress.requireKey(keys, null),
  fastify: inFastify.requireKey(keys, null),
  hono: inHono.requireKey(keys, null),
  fetch: inFetch.requireKey(keys, null),
  nestjs: inNest.requireKey(keys, null),
}

const PAIRS = Object.keys(HOSTS).flatMap((host) =>
  Object.entries(GUARDS)
    .filter(([made]) => made !== host)
    .map(([made, guard]) => ({ made, host, guard: guard as never })),
)

test.each(PAIRS)('a guard of $made in $host lets nothing through', async ({ host, guard }) => {
  vi.spyOn(console, 'error').mockImplementation(() => {})
  handler.mockClear()
  const outcome = async () => {
    const { port, close } = (await HOSTS[host]?.(guard)) ?? expect.fail(host)
    onTestFinished(() => close())
    const signal = AbortSignal.timeout(300)
    return (await fetch(`http://127.0.0.1:${port}/`, { signal })).status
  }
  // No host, or no answer, is an error.
  expect(await outcome().catch(() => null)).not.toBe(200)
  expect(handler).not.toHaveBeenCalled()
})
