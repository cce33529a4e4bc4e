import { PrometheusExporter, PrometheusSerializer } from '@opentelemetry/exporter-prometheus'
import { MeterProvider } from '@opentelemetry/sdk-metrics'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { meterCache, metered } from '../../adapters/otel/index.ts'
import { StorageError } from '../../adapters/storage/lib/storage-error.ts'
import { memoryStorage } from '../../adapters/storage/memory.ts'
import { type ApiKeysOptions, createApiKeys, plans } from '../../src/index.ts'
import type { KeyStorage } from '../../src/storage/index.ts'
import { loggedStorage } from '../support/memory-log.ts'
import { simulateTime } from '../support/simulated-time.ts'
import { keyInput } from '../support/world.ts'

simulateTime()

// The recipe of docs/usage-history.md: a real SDK, and the text that Prometheus reads.
let exporter: PrometheusExporter
let provider: MeterProvider
beforeEach(() => {
  exporter = new PrometheusExporter({ preventServerStart: true })
  provider = new MeterProvider({ readers: [exporter] })
})
afterEach(() => provider.shutdown())

const meter = () => provider.getMeter('miftah')

/** The series of a metric with their values, or all that Prometheus reads of miftah. */
async function scraped(metric = ''): Promise<readonly string[]> {
  const { resourceMetrics } = await exporter.collect()
  const lines = new PrometheusSerializer().serialize(resourceMetrics).split('\n')
  return lines
    .filter((line) => line.startsWith(`miftah_${metric}`))
    .map((line) => line.replace(/,?otel_scope_name="miftah"/, '').replace(/ \d{13}$/, ''))
    .sort()
}

/** What each metric says of itself: its description and its unit, by its name. */
async function described(): Promise<Readonly<Record<string, string>>> {
  const { resourceMetrics } = await exporter.collect()
  const metrics = resourceMetrics.scopeMetrics.flatMap((scope) => scope.metrics)
  return Object.fromEntries(
    metrics.map(({ descriptor: { name, description, unit } }) => [name, `${description} ${unit}`]),
  )
}

const OPTIONS = { storage: memoryStorage(), entitlements: () => plans.business }

function openKeys(options: Partial<ApiKeysOptions> = {}) {
  return createApiKeys(metered({ ...OPTIONS, storage: memoryStorage(), ...options }, meter()))
}

describe('metered', () => {
  test('counts authentications by outcome and reason, and tells the listener of the host', async () => {
    const told: boolean[] = []
    const keys = openKeys({ onAuthentication: ({ ok }) => void told.push(ok) })
    const { secret } = await keys.createKey(keyInput())
    await keys.authenticate(`Bearer ${secret}`, 'contacts.read')
    await keys.authenticateSecret(secret, null)
    await keys.authenticate(`Bearer ${secret}`, 'orders.write')
    await keys.authenticate('Bearer nonsense', null)
    await keys.authenticate(undefined, null)
    await keys.close()
    expect(await scraped('authentications')).toEqual([
      'miftah_authentications_total{miftah_outcome="accepted"} 2',
      'miftah_authentications_total{miftah_outcome="denied",miftah_reason="insufficient_scope"} 1',
      'miftah_authentications_total{miftah_outcome="denied",miftah_reason="malformed"} 1',
      'miftah_authentications_total{miftah_outcome="denied",miftah_reason="missing"} 1',
    ])
    expect(told).toEqual([true, true, false, false, false])
  })

  test('times the storage and entitlements in seconds, and names no one', async () => {
    const entitlements = async () => {
      await new Promise((resolve) => setTimeout(resolve, 20))
      return plans.business
    }
    const keys = openKeys({ entitlements })
    const { key, secret } = await keys.createKey(keyInput())
    await keys.authenticate(`Bearer ${secret}`, 'contacts.read')
    await keys.close()
    const lines = (await scraped()).join('\n')
    for (const operation of ['write', 'findByHash', 'addUses', 'entitlements']) {
      expect(lines).toContain(`call_duration_bucket{miftah_operation="${operation}",le="0.0005"}`)
    }
    expect(lines).toContain('call_duration_sum{miftah_operation="entitlements"} 0.02')
    for (const name of [key.id, secret, key.prefix, key.workspaceId, key.creator.id, key.name]) {
      expect(lines).not.toContain(name)
    }
    expect(await described()).toEqual({
      'miftah.authentications': 'Answers of authenticate. {authentication}',
      'miftah.call.duration': 'Time of a call of the storage or of entitlements. s',
    })
  })

  test.each([
    [new StorageError('unavailable', 'no connection'), 'unavailable'],
    [Object.assign(new Error('x'), { code: 'ECONNREFUSED' }), 'other'],
    [Object.assign(new Error('x'), { name: 'StorageError', code: 7 }), 'other'],
    [null, 'other'],
  ])('a call that fails with %s has the type %s', async (thrown, type) => {
    const fail = (): never => {
      throw thrown
    }
    const storage: KeyStorage = { ...memoryStorage(), findByHash: fail, list: async () => fail() }
    const timed = metered({ ...OPTIONS, storage }, meter())
    await expect(timed.storage.findByHash('0'.repeat(64))).rejects.toBe(thrown)
    await expect(timed.storage.list('ws_1', {} as never)).rejects.toBe(thrown)
    expect(await scraped('call_duration_count')).toEqual(
      ['findByHash', 'list'].map(
        (name) => `miftah_call_duration_count{miftah_operation="${name}",error_type="${type}"} 1`,
      ),
    )
  })

  test('a storage without a log of changes gets none', () => {
    expect(metered(OPTIONS, meter()).storage).not.toHaveProperty('changes')
  })

  test.each([
    [{ storage: undefined }, 'option "storage" is required.'],
    [{ storage: null }, 'option "storage" must implement findByHash().'],
    [{ storage: { ...memoryStorage(), list: 7 } }, 'option "storage" must implement list().'],
    [{ entitlements: undefined }, 'option "entitlements" must be a function.'],
    [{ onAuthentication: 7 }, 'option "onAuthentication" must be a function.'],
  ])('leaves a bad option to createApiKeys: %o', (bad, message) => {
    const make = () => openKeys(bad as never)
    expect(make).toThrow(new TypeError(`createApiKeys: ${message}`))
  })
})

describe('meterCache', () => {
  test('reads the cache when metrics are collected, until it is stopped', async () => {
    const keys = openKeys({ storage: loggedStorage().storage, cache: {} })
    const stop = meterCache(keys, meter())
    const { secret } = await keys.createKey(keyInput())
    const authenticate = () => keys.authenticate(`Bearer ${secret}`, null)
    await authenticate()
    await expect.poll(() => keys.stats().cache?.hasLease).toBe(true)
    await authenticate()
    await authenticate()
    const lines = await scraped('cache')
    expect(lines).toEqual([
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
    expect(await scraped('cache_lookups')).not.toContain(
      'miftah_cache_lookups_total{miftah_cache_result="hit"} 3',
    )
    await keys.close()
  })

  test('without a cache there are no such metrics', async () => {
    const stop = meterCache(openKeys(), meter())
    expect(await scraped('cache')).toEqual([])
    stop()
  })
})
