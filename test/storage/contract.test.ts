import { describe, expect, test } from 'vitest'
import { memoryStorage } from '../../adapters/storage/memory.ts'
import { storageContract } from '../../adapters/storage/testing/storage-contract.ts'
import { contractInMemory } from '../support/memory-contract.ts'
import { PLANTED } from '../support/planted-storages.ts'

describe.each(Object.entries(PLANTED))('the cases of "%s" catch a storage that', (idea, faults) => {
  test.each(Object.entries(faults))('%s', async (_, plant) => {
    const cases = contractInMemory(() => {
      const good = memoryStorage()
      return { ...good, ...plant(good) }
    })
    for (const { name, run } of cases.filter(({ name }) => name.startsWith(`${idea}: `))) {
      const error = await run().catch(String)
      if (error !== undefined) return expect(error, name).toContain('storage contract: ')
    }
    expect.fail('no case fails')
  })
})

test('every case has a name of its own', () => {
  const names = contractInMemory(memoryStorage).map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
})

test.each([
  ['kept', () => memoryStorage()],
  ['not', () => ({ ...memoryStorage(), write: () => Promise.reject(new Error('down')) })],
])('the storage is closed after a case whose promise is %s', async (_, open) => {
  const closed: unknown[] = []
  const close = (storage: unknown) => closed.push(storage)
  await storageContract({ open, close })[0]
    ?.run()
    .catch(() => undefined)
  expect(closed).toHaveLength(1)
})
