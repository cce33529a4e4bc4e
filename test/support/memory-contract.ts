import { vi } from 'vitest'
import {
  type StorageContractCase,
  storageContract,
} from '../../adapters/storage/testing/storage-contract.ts'
import type { KeyStorage } from '../../src/storage/index.ts'

/** The contract on a storage whose clock is that of this process. */
export function contractInMemory(open: () => KeyStorage): readonly StorageContractCase[] {
  const age = async (byMs: number) => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + byMs })
  }
  return storageContract({ open, byHand: () => ({ age }), close: () => vi.useRealTimers() })
}
