import { describe, test } from 'vitest'
import { memoryStorage } from '../../adapters/storage/memory.ts'
import { storageContract } from '../../adapters/storage/testing/storage-contract.ts'

describe('memory storage keeps the storage contract', () => {
  for (const { name, run } of storageContract(memoryStorage)) test(name, run)
})
