import { expect, test } from 'vitest'
import type { KeyStorage } from '../../../src/storage/index.ts'
import { inserted } from '../../support/inserted.ts'
import { freshPath, rawAt, storageAt } from '../../support/sqlite-files.ts'

const EMPTY = { workspaceId: 'ws_sample', ifAddedAtMost: null, adds: 0, keys: [], events: [] }

// Only a cut of power shows whether a commit has waited for the disk. What can be seen without one is
// whether it has written anything: SQLite syncs the log for nothing else.
const CONFIRMATIONS: Readonly<Record<string, (storage: KeyStorage) => Promise<unknown>>> = {
  'an empty step': (storage) => storage.write([EMPTY]),
  'an empty step of a new workspace': (storage) => storage.write([{ ...EMPTY, workspaceId: 'ws' }]),
  'closing a closed workspace': (storage) => storage.closeWorkspace('ws_sample'),
}

test.each(Object.entries(CONFIRMATIONS))('%s writes before it answers', async (_, confirm) => {
  const path = freshPath()
  const storage = storageAt(path)
  const record = await inserted(storage)
  await storage.closeWorkspace('ws_sample')
  const byHand = rawAt(path)
  byHand.exec('PRAGMA synchronous = OFF')
  byHand.exec(`UPDATE miftah_keys SET revoked_at_ms = 7 WHERE id = '${record.id}'`)
  // Changes whenever another connection has committed something.
  const version = () => byHand.prepare('PRAGMA data_version').get()
  const before = version()
  await confirm(storage)
  expect(version()).not.toEqual(before)
  expect((await storage.findByHash(record.hash))?.revokedAtMs).toBe(7)
})
