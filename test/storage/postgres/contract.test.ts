import { describe, test } from 'vitest'
import { storageContract } from '../../../adapters/storage/testing/storage-contract.ts'
import { storagesInSchemas } from '../../support/postgres/schemas.ts'

const open = storagesInSchemas()

describe('the storage contract on a pg Pool', () => {
  for (const { name, run } of storageContract(open)) test(name, run)
})
