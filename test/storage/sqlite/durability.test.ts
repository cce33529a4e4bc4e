import { expect, test } from 'vitest'
import {
  sampleRevokeChange,
  sampleRotateChange,
} from '../../../adapters/storage/testing/samples.ts'
import type { KeyRecord, KeyStorage } from '../../../src/storage/index.ts'
import { inserted } from '../../support/inserted.ts'
import { freshPath, rawAt, storageAt } from '../../support/sqlite-files.ts'

// Only a cut of power shows whether a commit has waited for the disk. What can be seen without one is
// whether it has written anything: SQLite syncs the log for nothing else.
const ACKNOWLEDGEMENTS = {
  revoke: (storage: KeyStorage, record: KeyRecord) => storage.revoke(sampleRevokeChange(record)),
  rotate: (storage: KeyStorage, record: KeyRecord) => storage.rotate(sampleRotateChange(record)),
  confirm: (storage: KeyStorage, { workspaceId }: KeyRecord) => storage.confirm(workspaceId),
}

test.each([
  ['revoke', { outcome: 'already_revoked' }],
  ['rotate', { outcome: 'stale' }],
  ['confirm', {}],
] as const)(
  '%s of a key that another program has revoked writes something before it answers',
  async (verb, expected) => {
    const path = freshPath()
    const storage = storageAt(path)
    const record = await inserted(storage)
    const byHand = rawAt(path)
    byHand.exec('PRAGMA synchronous = OFF')
    byHand.exec(`UPDATE miftah_keys SET revoked_at_ms = 7 WHERE id = '${record.id}'`)
    // Changes whenever another connection has committed something.
    const version = () => byHand.prepare('PRAGMA data_version').get()
    const before = version()
    expect(await ACKNOWLEDGEMENTS[verb](storage, record)).toMatchObject(expected)
    expect(version()).not.toEqual(before)
    expect((await storage.findByHash(record.hash))?.revokedAtMs).toBe(7)
  },
)
