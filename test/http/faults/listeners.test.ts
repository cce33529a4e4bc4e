import { describe, expect, test } from 'vitest'
import { requireKey } from '../../../adapters/http/fetch.ts'
import { memoryStorage } from '../../../adapters/storage/memory.ts'
import { type ApiKeyEvent, createApiKeys, OutageError, plans } from '../../../src/index.ts'
import { mintSecret } from '../../../src/secret/mint.ts'
import type { KeyStorage } from '../../../src/storage/index.ts'
import { guardHosts } from '../../support/http/guard-hosts.ts'
import { served } from '../../support/http/host-for.ts'
import { linesOfTest, plainHost } from '../../support/http/plain-host.ts'
import { get } from '../../support/http/requests.ts'

/** A storage that throws the errors of a list, one with each call, and the last one from then on. */
function failing(...errors: readonly unknown[]): KeyStorage {
  const rest = [...errors]
  const fail = async () => {
    throw rest.length > 1 ? rest.shift() : rest[0]
  }
  return Object.assign(memoryStorage(), { findByHash: fail, list: fail })
}

const entitlements = () => plans.business

const coded = (code: string, message = '') => Object.assign(new Error(message), { code })

describe('who is notified of faults', () => {
  test('onEvent, and then nobody else', async () => {
    const lines = linesOfTest()
    const events: ApiKeyEvent[] = []
    const host = plainHost(failing(coded('ECONNREFUSED')), {
      keys: { onEvent: (event) => events.push(event) },
    })
    expect([await host.visit(), await host.list()]).toEqual([503, 503])
    expect(events.map(({ type }) => type)).toEqual(['outage', 'outage'])
    expect(lines).toEqual([])
  })

  test('onError of the management routes, with onEvent and without', async () => {
    const errors: unknown[] = []
    const routes = { onError: (error: unknown) => errors.push(error) }
    const failure = coded('ECONNREFUSED')
    linesOfTest()
    for (const keys of [{}, { onEvent: () => {} }]) {
      await plainHost(failing(failure), { keys, routes }).list()
    }
    expect(errors).toEqual([expect.any(OutageError), expect.any(OutageError)])
    expect(errors).toMatchObject([{ cause: failure }, { cause: failure }])
  })

  test('standard error, once for each kind and for each keys', async () => {
    const lines = linesOfTest()
    const kinds = ['ECONNREFUSED', 'ECONNREFUSED', 'ENOTFOUND', 'ECONNREFUSED', 'ENOTFOUND']
    for (const storage of [failing(...kinds.map((code) => coded(code))), failing(coded('EPIPE'))]) {
      const host = plainHost(storage)
      for (const _ of kinds) await host.visit()
    }
    const said = lines.map((line) => /: the [^;]+|: no [^;]+/.exec(line)?.[0])
    expect(said).toEqual([
      ': no database server listens at this address',
      ': the host name of the database server does not exist',
      ': the database server ended the connection',
    ])
  })

  test('standard error, once for each function of the host, also where they fail alike', async () => {
    const lines = linesOfTest()
    const fail = () => {
      throw 'canary'
    }
    const formats = [{ id: 'old', test: fail }]
    const host = plainHost(memoryStorage(), { keys: { entitlements: fail, formats } })
    for (const _ of [1, 2]) await Promise.all([host.list(), host.visit('old_key')])
    expect(lines.map((line) => line.split(' (')[0]).sort()).toEqual([
      'miftah: A function of a format failed: string.',
      'miftah: The entitlements function failed: string.',
    ])
  })

  test('standard error, of fifty kinds at most', async () => {
    const lines = linesOfTest()
    const host = plainHost(failing(...Array.from({ length: 60 }, (_, at) => coded(`E${at}`))))
    for (let calls = 0; calls < 60; calls += 1) await host.visit()
    expect(lines).toHaveLength(50)
  })
})

describe('a mistake in the program, behind a guard', () => {
  const mistaken = (events?: ApiKeyEvent[]) => {
    const onEvent = (event: ApiKeyEvent) => events?.push(event)
    const heard = events && { onEvent }
    const keys = createApiKeys({ storage: memoryStorage(), entitlements, ...heard })
    const authenticate = () => Promise.reject(new TypeError('canary is not a function'))
    const guarded = requireKey({ ...keys, authenticate }, null)(() => new Response())
    return async () => (await guarded(new Request('https://a.example/'))).status
  }

  test('is 500, and onEvent gets it each time', async () => {
    const lines = linesOfTest()
    const events: ApiKeyEvent[] = []
    const visit = mistaken(events)
    expect([await visit(), await visit()]).toEqual([500, 500])
    expect(events).toMatchObject([{ operation: 'guard' }, { operation: 'guard' }])
    expect(lines).toEqual([])
  })

  test('is written to standard error once, without its message', async () => {
    const lines = linesOfTest()
    const visit = mistaken()
    expect([await visit(), await visit()]).toEqual([500, 500])
    expect(lines).toEqual([
      expect.stringMatching(
        /^miftah: A guard failed: TypeError at \S+listeners\.test\.ts:\d+:\d+\. \(Reported once; /,
      ),
    ])
  })
})

describe.each(guardHosts)('requireKey in $name', ({ start }) => {
  test('is enough to be notified', async () => {
    const lines = linesOfTest()
    const keys = createApiKeys({ storage: failing(coded('ENOTFOUND')), entitlements })
    const port = await served(start(keys))
    const key = `Authorization: Bearer ${mintSecret('svc', 'live')}`
    expect((await get(port, '/contacts', [key])).status).toBe(503)
    expect(lines).toEqual([expect.stringContaining('the host name of the database server')])
  })
})
