import { DatabaseSync } from '@photostructure/sqlite'
import { afterEach, expect, test, vi } from 'vitest'
import {
  isOf,
  openDatabase,
  type SqliteDatabase,
} from '../../../adapters/storage/lib/sqlite/driver.ts'
import { sqliteStorage } from '../../../adapters/storage/sqlite.ts'
import { freshPath } from '../../support/sqlite-files.ts'

/** A driver that notes which one it is and what it was given. */
function driverNamed(name: string) {
  return class implements SqliteDatabase {
    readonly opened: string
    constructor(path: string) {
      this.opened = `${name} ${path}`
    }
    exec = () => undefined
    prepare = () => ({ get: () => undefined, all: () => [], run: () => ({ changes: 0 }) })
    close = () => undefined
  }
}

const PEER = '@photostructure/sqlite'

/** Which modules there are besides the peer, and what the peer is. */
function inRuntime(builtIns: Readonly<Record<string, unknown>>, peer?: () => unknown) {
  const getBuiltinModule = (id: string) => builtIns[id]
  const own = Object.create(process, { getBuiltinModule: { value: getBuiltinModule } })
  vi.stubGlobal('process', own)
  vi.doMock(PEER, () => peer?.() ?? { DatabaseSync: driverNamed('peer') })
}

const opened = async (path = 'keys.db') => Reflect.get(await openDatabase(path), 'opened')

afterEach(() => {
  vi.unstubAllGlobals()
  vi.doUnmock(PEER)
  vi.doUnmock('bun:sqlite')
})

const WITHOUT: readonly Readonly<Record<string, unknown>>[] = [
  {},
  { 'node:sqlite': null },
  { 'node:sqlite': { DatabaseSync: {} } },
]

test('a file is opened with the node:sqlite of the runtime, or else with the peer', async () => {
  inRuntime({ 'node:sqlite': { DatabaseSync: driverNamed('node') } })
  expect(await opened('a.db')).toBe('node a.db')
  for (const builtIns of WITHOUT) {
    inRuntime(builtIns)
    expect(await opened()).toBe('peer keys.db')
  }
  const { process } = globalThis
  vi.stubGlobal('process', undefined)
  const opening = opened()
  vi.stubGlobal('process', process)
  expect(await opening).toBe('peer keys.db')
})

test('with the bun:sqlite of Bun, where it is Bun', async () => {
  inRuntime({})
  vi.doMock('bun:sqlite', () => ({ Database: driverNamed('bun') }))
  expect(await opened()).toBe('peer keys.db')
  vi.stubGlobal('Bun', {})
  expect(await opened()).toBe('bun keys.db')
})

test('a file that the storage has opened is closed with it, once', async () => {
  let closed = 0
  class Counting extends DatabaseSync {
    override close() {
      closed += 1
      super.close()
    }
  }
  inRuntime({ 'node:sqlite': { DatabaseSync: Counting } })
  const storage = sqliteStorage(freshPath())
  await storage.migrate()
  expect(await storage.findByHash('0'.repeat(64))).toBeNull()
  await storage.close()
  await storage.close()
  expect(closed).toBe(1)
})

test('without any driver the error says what to install, and why the peer did not load', async () => {
  const message = expect.stringContaining('Install @photostructure/sqlite')
  const missing = { name: 'StorageError', code: 'driver_missing', message }
  inRuntime({}, () => {
    throw new Error('not installed')
  })
  await expect(opened()).rejects.toMatchObject({ ...missing, cause: expect.any(Error) })
  inRuntime({}, () => ({ DatabaseSync: undefined }))
  await expect(opened()).rejects.toMatchObject({ ...missing })
})

test.each([
  [{ errcode: 5 }, true, false],
  [{ errcode: 261 }, true, false],
  [{ errcode: 275, code: 'ERR_SQLITE_ERROR' }, false, true],
  [{ code: 'SQLITE_BUSY_RECOVERY' }, true, false],
  [{ code: 'SQLITE_CONSTRAINT_TRIGGER' }, false, true],
  [{ code: 'ERR_SQLITE_ERROR', message: 'database is locked' }, true, false],
  [{ code: 'ERR_SQLITE_ERROR', message: 'disk I/O error' }, false, false],
  [{ errcode: '5' }, false, false],
  ['SQLITE_BUSY', false, false],
  [null, false, false],
])('%j: locked or a refused value, whatever the driver', (error, busy, constraint) => {
  expect([isOf('BUSY', error), isOf('CONSTRAINT', error)]).toEqual([busy, constraint])
})
