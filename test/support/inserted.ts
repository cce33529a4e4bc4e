import { sampleInsertion, sampleRecord } from '../../adapters/storage/testing/samples.ts'
import type { KeyRecord, KeyStorage } from '../../src/storage/index.ts'

/** Stores a sample key and answers its record. */
export async function inserted(
  storage: KeyStorage,
  fields: Partial<KeyRecord> = {},
): Promise<KeyRecord> {
  const record = sampleRecord(fields)
  await storage.write([sampleInsertion(record)])
  return record
}
