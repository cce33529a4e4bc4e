import { DatabaseSync } from '@photostructure/sqlite'
import { afterEach, describe, expect, test, vi } from 'vitest'
import {
  isBusy,
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
  vi.stubGlobal(
    'process',
    Object.create(process, { getBuiltinModule: { value: getBuiltinModule } }),
  )
  vi.doMock(PEER, () => peer?.() ?? { DatabaseSync: driverNamed('peer') })
}

const opened = async (path = 'keys.db') => Reflect.get(await openDatabase(path), 'opened')

afterEach(() => {
  vi.unstubAllGlobals()
  vi.doUnmock(PEER)
  vi.doUnmock('bun:sqlite')
})

describe('a file is opened with', () => {
  test('the node:sqlite of the runtime', async () => {
    inRuntime({ 'node:sqlite': { DatabaseSync: driverNamed('node') } })
    expect(await opened('a.db')).toBe('node a.db')
  })

  test.each<readonly [string, Readonly<Record<string, unknown>>]>([
    ['no node:sqlite', {}],
    ['a node:sqlite that is nothing', { 'node:sqlite': null }],
    ['a node:sqlite of text', { 'node:sqlite': 'text' }],
    ['a node:sqlite without the class', { 'node:sqlite': { Database: driverNamed('other') } }],
    ['a node:sqlite whose class is none', { 'node:sqlite': { DatabaseSync: {} } }],
  ])('the peer, where there is %s', async (_, builtIns) => {
    inRuntime(builtIns)
    expect(await opened()).toBe('peer keys.db')
  })

  test('the peer, where built-in modules cannot be loaded', async () => {
    inRuntime({})
    vi.stubGlobal('process', {})
    expect(await opened()).toBe('peer keys.db')
  })

  test('the peer, where there is no process', async () => {
    inRuntime({})
    const { process } = globalThis
    vi.stubGlobal('process', undefined)
    const opening = opened()
    vi.stubGlobal('process', process)
    expect(await opening).toBe('peer keys.db')
  })

  test('the bun:sqlite of Bun, where it is Bun', async () => {
    inRuntime({})
    vi.doMock('bun:sqlite', () => ({ Database: driverNamed('bun') }))
    expect(await opened()).toBe('peer keys.db')
    vi.stubGlobal('Bun', {})
    expect(await opened()).toBe('bun keys.db')
  })
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

describe('without any driver', () => {
  const missing = {
    ...{ name: 'StorageError', code: 'driver_missing' },
    message:
      'no SQLite driver: this runtime has no node:sqlite. Install @photostructure/sqlite, or open ' +
      'the database with a driver of your own and pass it to sqliteStorage',
  }

  test('a peer that cannot be loaded is the cause', async () => {
    inRuntime({}, () => {
      throw new Error('not installed')
    })
    await expect(opened()).rejects.toMatchObject({ ...missing, cause: expect.any(Error) })
  })

  test('a peer without the class gives the same error', async () => {
    inRuntime({}, () => ({ DatabaseSync: undefined }))
    const error = await opened().catch((reason: unknown) => reason)
    expect(error).toMatchObject(missing)
    expect(error).not.toHaveProperty('cause')
  })
})

test.each([undefined, null, 5, 'SQLITE_BUSY', { code: 5 }, { errcode: 6 }, { errcode: '5' }])(
  '%j is not a locked database',
  (error) => expect(isBusy(error)).toBe(false),
)
