import { memoryStorage } from 'miftah/memory'
import { sqliteStorage } from 'miftah/sqlite'
import { storageContract } from 'miftah/testing'
import { runGroup } from './checks.js'

async function contract(group, open, close) {
  for (const { name, run } of storageContract(open, close)) await group.check(name, run)
}

/** The contract on memory. */
export function memoryContract() {
  return runGroup('storage contract: memory', (group) => contract(group, memoryStorage))
}

/** The contract on SQLite files; `open` gives for a path what the storage is made from. */
export function sqliteContract({ name, open, close }, fileNames) {
  const opened = new Map()
  const openStorage = async () => {
    const database = await open(fileNames())
    const storage = sqliteStorage(database)
    opened.set(storage, database)
    return storage
  }
  const closeStorage = async (storage) => {
    await storage.close()
    close?.(opened.get(storage))
  }
  return runGroup(`storage contract: SQLite through ${name}`, (group) =>
    contract(group, openStorage, closeStorage),
  )
}
