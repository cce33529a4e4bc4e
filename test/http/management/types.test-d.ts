import express from 'express'
import fastify, { type FastifyRequest } from 'fastify'
import { expectTypeOf, test } from 'vitest'
import { manageKeys as inExpress } from '../../../adapters/http/express.ts'
import { manageKeys as inFastify } from '../../../adapters/http/fastify.ts'
import { type ManageKeysFetchOptions, manageKeys } from '../../../adapters/http/fetch.ts'
import { manageKeys as inNest } from '../../../adapters/http/nestjs.ts'
import type { ApiKeys } from '../../../src/index.ts'

declare const keys: ApiKeys
const user = { id: 'u_1', name: 'Noura' }

/** As NextRequest is one: structurally, with more on it. */
interface NextRequest extends Request {
  readonly cookies: { get(name: string): { readonly value: string } | undefined }
}

interface Session {
  readonly session: { readonly workspaceId: string }
}

test('the request is the one that the runtime passes', () => {
  const manage = manageKeys(keys, {
    context: (request: NextRequest) => {
      const workspaceId = request.cookies.get('workspace')?.value
      return workspaceId === undefined ? null : { workspaceId, user }
    },
  })
  expectTypeOf(manage).parameter(0).toEqualTypeOf<NextRequest>()
  // @ts-expect-error: it has no cookies
  manage(new Request('https://a.example'))
})

test('without a word about it, the request is that of the platform', () => {
  const manage = manageKeys(keys, {
    context: (request) => {
      expectTypeOf(request).toEqualTypeOf<Request>()
      return null
    },
  })
  expectTypeOf(manage).toEqualTypeOf<(request: Request) => Promise<Response>>()
  expectTypeOf<ManageKeysFetchOptions>().toEqualTypeOf<ManageKeysFetchOptions<Request>>()
})

test('what session middleware adds to a request is named in context', () => {
  express().use(
    '/settings',
    inExpress(keys, {
      context: ({ session }: express.Request & Session) => ({ ...session, user }),
    }),
  )
  fastify().register(
    inFastify(keys, {
      context: ({ session }: FastifyRequest & Session) => ({ ...session, user }),
    }),
    { prefix: '/settings' },
  )
  inNest(keys, {
    basePath: '/settings',
    context: ({ session }: express.Request & Session) => ({ ...session, user }),
  })
})

test('context is still no place for another kind of request', () => {
  // @ts-expect-error: not a Request
  manageKeys(keys, { context: (request: { readonly canary: string }) => void request.canary })
})

test('the name of a user may be missing or null', () => {
  const named = (name: string | null | undefined) => ({
    workspaceId: 'ws',
    user: { id: 'u', name },
  })
  manageKeys(keys, { context: () => named(null) })
  manageKeys(keys, { context: () => ({ workspaceId: 'ws', user: { id: 'u' } }) })
  // @ts-expect-error: the id may not
  manageKeys(keys, { context: () => ({ workspaceId: 'ws', user: { name: 'Noura' } }) })
})
