import { expect, test, vi } from 'vitest'
import { memoryStorage } from '../../adapters/storage/memory.ts'
import { storageContract } from '../../adapters/storage/testing/storage-contract.ts'
import { PLANTED, planted } from '../support/planted-storages.ts'

const byHand = () => ({
  age: async (byMs: number) => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + byMs })
  },
})

for (const [fault, [caughtBy]] of Object.entries(PLANTED)) {
  test(`the suite catches a storage that ${fault}`, async () => {
    const open = () => planted(memoryStorage(), fault)
    const cases = storageContract({ open, byHand, close: () => vi.useRealTimers() })
    const { run } = cases.find(({ name }) => name === caughtBy) ?? expect.fail('no such case')
    await expect(run()).rejects.toThrow('storage contract: ')
  })
}

test('every case has a name of its own', () => {
  const names = storageContract(memoryStorage).map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
})

test('the storage is closed after each case, kept or not', async () => {
  let open = 0
  const cases = storageContract({
    open: () => {
      open += 1
      return planted(memoryStorage(), 'ignores editions')
    },
    close: () => {
      open -= 1
    },
  })
  const outcomes = await Promise.allSettled(cases.map(({ run }) => run()))
  expect(outcomes.map(({ status }) => status)).toContain('rejected')
  expect(open).toBe(0)
})
