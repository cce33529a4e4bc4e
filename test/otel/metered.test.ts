import { PrometheusExporter } from '@opentelemetry/exporter-prometheus'
import { MeterProvider } from '@opentelemetry/sdk-metrics'
import express from 'express'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { meterCache, metered } from '../../adapters/otel/index.ts'
import { StorageError } from '../../adapters/storage/lib/storage-error.ts'
import { memoryStorage } from '../../adapters/storage/memory.ts'
import { type ApiKeysOptions, createApiKeys, type DefaultScope, plans } from '../../src/index.ts'
import type { KeyStorage } from '../../src/storage/index.ts'
import { listen, type RunningHost } from '../support/http/guard-hosts.ts'
import { loggedStorage } from '../support/memory-log.ts'
import { simulateTime } from '../support/simulated-time.ts'

simulateTime()

// The recipe of docs/usage-history.md: a real SDK, and the text that Prometheus reads.
let exporter: PrometheusExporter
let provider: MeterProvider
let host: RunningHost

beforeEach(async () => {
  exporter = new PrometheusExporter({ preventServerStart: true })
  provider = new MeterProvider({ readers: [exporter] })
  const app = express()
  app.get('/metrics', (req, res) => exporter.getMetricsRequestHandler(req, res))
  host = await listen(app)
})
afterEach(async () => {
  await host.close()
  await provider.shutdown()
})

const meter = () => provider.getMeter('miftah')

/** The lines of miftah's metrics, without those of the SDK about itself. */
async function scraped(): Promise<readonly string[]> {
  const response = await fetch(`http://127.0.0.1:${host.port}/metrics`)
  const lines = (await response.text()).split('\n').filter((line) => line.startsWith('miftah_'))
  return lines.map((line) =>
    line.replace(/,?otel_scope_name="miftah"(?:,otel_scope_\w+="[^"]*")*/, ''),
  )
}

/** What each metric says of itself: its description and its unit, by its name. */
async function described(): Promise<Readonly<Record<string, string>>> {
  const { resourceMetrics } = await exporter.collect()
  const metrics = resourceMetrics.scopeMetrics.flatMap((scope) => scope.metrics)
  return Object.fromEntries(
    metrics.map(({ descriptor: { name, description, unit } }) => [name, `${description} ${unit}`]),
  )
}

const FIELDS = {
  workspaceId: 'ws_secret_customer',
  creator: { id: 'u_1', name: 'Noura Private' },
  name: 'CRM sync',
  environment: 'live',
  scopes: ['contacts.read'],
} as const

function openKeys(options: Partial<ApiKeysOptions<DefaultScope>> = {}) {
  const given = { storage: memoryStorage(), entitlements: () => plans.business, ...options }
  return createApiKeys(metered(given, meter()))
}

describe('metered', () => {
  test('counts authentications by outcome and reason', async () => {
    const keys = openKeys()
    const { secret } = await keys.createKey(FIELDS)
    await keys.authenticate(`Bearer ${secret}`, 'contacts.read')
    await keys.authenticateSecret(secret, null)
    await keys.authenticate(`Bearer ${secret}`, 'orders.write')
    await keys.authenticate('Bearer nonsense', null)
    await keys.authenticate(undefined, null)
    await keys.close()
    const counts = (await scraped()).filter((line) => line.startsWith('miftah_authentications'))
    expect(counts.map((line) => line.replace(/ \d{13}$/, '')).sort()).toEqual([
      'miftah_authentications_total{miftah_outcome="accepted"} 2',
      'miftah_authentications_total{miftah_outcome="denied",miftah_reason="insufficient_scope"} 1',
      'miftah_authentications_total{miftah_outcome="denied",miftah_reason="malformed"} 1',
      'miftah_authentications_total{miftah_outcome="denied",miftah_reason="missing"} 1',
    ])
  })

  test('times the storage and entitlements, and names no one', async () => {
    const keys = openKeys({ entitlements: async () => plans.business })
    const { key, secret } = await keys.createKey(FIELDS)
    await keys.authenticate(`Bearer ${secret}`, 'contacts.read')
    await keys.close()
    const lines = await scraped()
    for (const operation of ['write', 'findByHash', 'addUses', 'entitlements']) {
      const count = `miftah_call_duration_count{miftah_operation="${operation}"}`
      expect(
        lines.some((line) => line.startsWith(count)),
        operation,
      ).toBe(true)
      const bucket = `miftah_call_duration_bucket{miftah_operation="${operation}",le="0.0005"}`
      expect(
        lines.some((line) => line.startsWith(bucket)),
        operation,
      ).toBe(true)
    }
    const text = lines.join('\n')
    for (const name of [key.id, secret, key.prefix, 'ws_secret', 'u_1', 'Noura', 'CRM']) {
      expect(text).not.toContain(name)
    }
  })

  test.each([
    [new StorageError('unavailable', 'no connection'), 'unavailable'],
    [Object.assign(new Error('x'), { code: 'ECONNREFUSED' }), 'other'],
    [null, 'other'],
  ])('a call that fails with %s has the type %s', async (thrown, type) => {
    const fail = () => {
      throw thrown
    }
    const storage: KeyStorage = Object.assign(memoryStorage(), {
      findByHash: fail,
      list: () => Promise.reject(thrown),
    })
    const keys = openKeys({ storage })
    const secret = `svc_test_${'0'.repeat(46)}`
    await keys.authenticate(`Bearer ${secret}`, null).catch(() => null)
    await expect(keys.listKeys({ workspaceId: 'ws_1' })).rejects.toThrow()
    await keys.close()
    const line = `miftah_call_duration_count{miftah_operation="list",error_type="${type}"} 1`
    expect((await scraped()).some((found) => found.startsWith(line))).toBe(true)
  })

  test('says what it counts, and in which unit', async () => {
    const keys = openKeys()
    await keys.authenticate('', null)
    await keys.createKey(FIELDS)
    await keys.close()
    expect(await described()).toEqual({
      'miftah.authentications': 'Answers of authenticate. {authentication}',
      'miftah.call.duration': 'Time of a call of the storage or of entitlements. s',
    })
  })

  test('times in seconds', async () => {
    const entitlements = async () => {
      await new Promise((resolve) => setTimeout(resolve, 20))
      return plans.business
    }
    const keys = openKeys({ entitlements })
    await keys.createKey(FIELDS)
    await keys.close()
    const sum = 'miftah_call_duration_sum{miftah_operation="entitlements"} '
    const line = (await scraped()).find((found) => found.startsWith(sum)) ?? ''
    expect(line.slice(sum.length).split(' ')[0]).toBe('0.02')
  })

  test('counts for a host that listens to nothing, and keeps a log of changes out of it', async () => {
    const given = { storage: memoryStorage(), entitlements: () => plans.business }
    const { storage, onAuthentication } = metered(given, meter())
    expect(() => onAuthentication?.({ ok: false, reason: 'missing' })).not.toThrow()
    expect(storage).not.toHaveProperty('changes')
    const failing = { ...given.storage, findByHash: () => Promise.reject(new TypeError('x')) }
    const wrapped = metered({ ...given, storage: failing }, meter())
    await expect(wrapped.storage.findByHash('0'.repeat(64))).rejects.toThrow(TypeError)
    const code = Object.assign(new Error('x'), { name: 'StorageError', code: 7 })
    const odd = metered({ ...given, storage: { ...failing, findByHash: fails(code) } }, meter())
    expect(() => odd.storage.findByHash('0'.repeat(64))).toThrow(code)
    const other = 'miftah_call_duration_count{miftah_operation="findByHash",error_type="other"} 2'
    expect((await scraped()).some((line) => line.startsWith(other))).toBe(true)
  })

  test.each([
    [{ storage: undefined }, 'option "storage" is required.'],
    [{ storage: null }, 'option "storage" must implement findByHash().'],
    [{ storage: {} }, 'option "storage" must implement findByHash().'],
    [
      { storage: Object.assign(memoryStorage(), { list: 7 }) },
      'option "storage" must implement list().',
    ],
    [{ entitlements: undefined }, 'option "entitlements" must be a function.'],
    [{ onAuthentication: 7 }, 'option "onAuthentication" must be a function.'],
  ])('leaves a bad option to createApiKeys: %o', (bad, message) => {
    const given = { storage: memoryStorage(), entitlements: () => plans.business, ...bad }
    const make = () => createApiKeys(metered(given as unknown as ApiKeysOptions, meter()))
    expect(make).toThrow(new TypeError(`createApiKeys: ${message}`))
  })

  test('a listener of the host is still called, and an answer without a promise stays one', async () => {
    const told: boolean[] = []
    const options = {
      storage: memoryStorage(),
      entitlements: () => plans.business,
      onAuthentication: ({ ok }: { ok: boolean }) => void told.push(ok),
    }
    const wrapped = metered(options, meter())
    expect(wrapped.storage.findByHash('0'.repeat(64))).toBeNull()
    const keys = createApiKeys(wrapped)
    await keys.authenticate('', null)
    expect(told).toEqual([false])
  })
})

function fails(error: Error) {
  return () => {
    throw error
  }
}

describe('meterCache', () => {
  const cacheLines = async () => {
    const lines = (await scraped()).filter((line) => line.startsWith('miftah_cache'))
    return lines.map((line) => line.replace(/ \d{13}$/, '')).sort()
  }

  test('reads the cache when metrics are collected, until it is stopped', async () => {
    const { storage } = loggedStorage()
    const keys = openKeys({ storage, cache: {} })
    const stop = meterCache(keys, meter())
    const { secret } = await keys.createKey(FIELDS)
    const authenticate = () => keys.authenticate(`Bearer ${secret}`, null)
    await authenticate()
    await expect.poll(() => keys.stats().cache?.hasLease).toBe(true)
    await authenticate()
    await authenticate()
    expect(await cacheLines()).toEqual([
      'miftah_cache_evictions_total{} 0',
      'miftah_cache_keys{} 1',
      'miftah_cache_lag{} 0',
      'miftah_cache_lease{} 1',
      'miftah_cache_lookups_total{miftah_cache_result="hit"} 2',
      'miftah_cache_lookups_total{miftah_cache_result="miss"} 1',
      'miftah_cache_nodes{} 1',
    ])
    expect(await described()).toMatchObject({
      'miftah.cache.lookups': 'Authentications, by whether memory answered them. {lookup}',
      'miftah.cache.evictions': 'Keys that made room for others. {key}',
      'miftah.cache.keys': 'Keys in memory. {key}',
      'miftah.cache.lease': 'Whether this process may answer from memory: 1 or 0. 1',
      'miftah.cache.nodes': 'Processes that answer from memory. {process}',
      'miftah.cache.lag': 'Changes that the slowest process has not acknowledged. {change}',
    })
    stop()
    await authenticate()
    expect(await cacheLines()).not.toContain(
      'miftah_cache_lookups_total{miftah_cache_result="hit"} 3',
    )
    await keys.close()
  })

  test('without a cache there are no such metrics', async () => {
    const stop = meterCache(openKeys(), meter())
    expect(await cacheLines()).toEqual([])
    stop()
  })
})
