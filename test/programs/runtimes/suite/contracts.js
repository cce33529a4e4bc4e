import { memoryStorage } from 'miftah/memory'
import { sqliteStorage } from 'miftah/sqlite'
import { storageContract } from 'miftah/testing'
import { runGroup } from './checks.js'

const contract = (options) => storageContract(options).map(({ name, run }) => [name, run])

/** The contract on memory. */
export const memoryContract = () => runGroup('memory', contract({ open: () => memoryStorage() }))

/** The contract on SQLite files; `open` gives for a path what the storage is made from. */
export function sqliteContract({ name, open, close }, fileNames) {
  let database
  const openStorage = () => {
    database = open(fileNames())
    return sqliteStorage(database)
  }
  const closeStorage = async (storage) => {
    await storage.close()
    close?.(database)
  }
  const cases = contract({ open: openStorage, close: closeStorage })
  return runGroup(`SQLite through ${name}`, cases)
}
