import type { UsageBatch } from '../../../../src/storage/index.ts'
import { checkIntegers, checkTexts, isStorableText } from '../storable.ts'
import { StorageError } from '../storage-error.ts'
import type { Statements } from './statements.ts'

/** How long a silent writer is remembered: a batch repeated later than this would count again. */
const WRITER_MEMORY_S = 30 * 24 * 60 * 60

/** See `KeyStorage.addUses`. */
export function addUses(sql: Statements, { writer, sequence, uses }: UsageBatch): void {
  checkTexts([writer])
  checkIntegers([sequence])
  if (Number(sql.advanceWriter.run(writer, sequence).changes) === 0) return
  // Writers come and go with processes, so the first batch of one is when to forget the others.
  if (sequence === 1) sql.forgetWriters.run(WRITER_MEMORY_S)
  for (const { id, uses: count, lastUsedAtMs } of uses) {
    checkIntegers([count, lastUsedAtMs])
    if (count < 1) throw new StorageError('unstorable_value', 'uses to add are at least 1')
    if (isStorableText(id)) sql.addUses.run(count, lastUsedAtMs, id)
  }
}
