import { sampleCreatedEvent, sampleRecord } from '../../adapters/storage/testing/samples.ts'
import type { KeyRecord, KeyStorage } from '../../src/storage/index.ts'

/** Stores a sample key without a limit, and answers its record. */
export async function inserted(
  storage: KeyStorage,
  fields: Partial<KeyRecord> = {},
): Promise<KeyRecord> {
  const record = sampleRecord(fields)
  await storage.insert(record, null, sampleCreatedEvent(record))
  return record
}
