import { memoryStorage } from 'miftah/memory'
import { sqliteStorage } from 'miftah/sqlite'
import { storageContract } from 'miftah/testing'
import { runGroup } from './checks.js'

const contract = (open, close) =>
  storageContract(open, close).map(({ name, run }) => [name, () => run()])

/** The contract on memory. */
export function memoryContract() {
  return runGroup('memory', contract(memoryStorage))
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
  return runGroup(`SQLite through ${name}`, contract(openStorage, closeStorage))
}
