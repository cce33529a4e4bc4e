import { describe, expect, test } from 'vitest'
import { faultInWords, hostFailureInWords } from '../../../adapters/lib/faults/words.ts'
import { StorageError } from '../../../adapters/storage/lib/storage-error.ts'
import { memoryStorage } from '../../../adapters/storage/memory.ts'
import { mintSecret } from '../../../src/secret/mint.ts'
import { linesOfTest, plainHost } from '../../support/http/plain-host.ts'

const sentenceOf = (error: unknown, operation = 'findByHash') =>
  faultInWords({ operation, error }).sentence

describe('an error of a storage', () => {
  test('of no known cause says what the storage says', () => {
    expect(sentenceOf(new StorageError('broken_row', 'a row makes no sense'))).toBe(
      'The key storage failed in findByHash: a row makes no sense.',
    )
  })

  test.each([
    ['an error', Object.assign(new Error('canary'), { code: 'WEIRD' }), 'Error (WEIRD) at '],
    ['a text', 'canary', 'string.'],
    ['nothing', undefined, 'undefined.'],
    ['an object', { message: 'canary' }, 'object.'],
  ])('that is %s of another program is reported without its message', (_, error, outline) => {
    const sentence = sentenceOf(error)
    expect(sentence).toContain(`The key storage failed in findByHash: ${outline}`)
    expect(sentence).not.toContain('canary')
  })

  test('about lost counts keeps its message', () => {
    const message = 'The storage refused to count uses: these counts are lost.'
    expect(sentenceOf(new Error(message), 'addUses')).toBe(
      `The key storage failed in addUses: ${message}`,
    )
  })

  test('says where it was thrown, and no place that its message has made up', () => {
    const error = new Error('x\n    at /etc/canary:1:1')
    expect(sentenceOf(error)).toMatch(/words\.test\.ts:\d+:\d+\.$/)
    Object.assign(error, { message: 'another' })
    expect(sentenceOf(error)).toBe('The key storage failed in findByHash: Error.')
  })

  test.each([
    [{ errcode: 1032 }, 'was moved, replaced or deleted while it was open'],
    [{ errcode: 522 }, 'the disk of the SQLite file failed'],
    [{ errcode: 11 }, 'is damaged'],
    [{ errcode: 13 }, 'is full'],
    [{ code: 'SQLITE_READONLY_DBMOVED' }, 'was moved, replaced or deleted while it was open'],
    [{ code: 'SQLITE_READONLY_DIRECTORY' }, 'is read-only'],
    [{ code: 'SQLITE_BUSY_SNAPSHOT' }, 'holds the lock'],
    [{ code: 'ER_BAD_DB_ERROR' }, 'the database does not exist'],
    [{ code: 'ER_ACCESS_DENIED_ERROR' }, 'does not accept the password'],
    [{ code: 'ENOTFOUND' }, 'the host name of the database server does not exist'],
    [{ code: '53100' }, 'the disk of the database server is full'],
    [{ message: 'database is locked' }, 'another process holds the lock'],
    [{ message: 'attempt to write a readonly database' }, 'the SQLite file is read-only'],
    [{ message: 'disk I/O error' }, 'the disk of the SQLite file failed'],
    [{ message: 'database disk image is malformed' }, 'the SQLite file is damaged'],
    [{ message: 'database or disk is full' }, 'the disk of the SQLite file is full'],
    [{ message: 'unable to open database file' }, 'SQLite cannot open the file'],
    [{ message: 'file is not a database' }, 'is no SQLite database'],
    [{ message: 'no such table: canary' }, 'The key storage failed in findByHash: Error (E) at '],
    [{ errcode: 1 }, 'The key storage failed in findByHash: Error (E) at '],
  ])('with %o says what is wrong: %s', (facts, wrong) => {
    const sentence = sentenceOf(Object.assign(new Error('canary'), { code: 'E' }, facts))
    expect(sentence).toContain(wrong)
    expect(sentence).not.toContain('canary')
  })

  test('fits one line without credentials or hashes', () => {
    const message = `no route\u2028to\n postgres://app:canary@db/app ${'ab'.repeat(32)} ${'x'.repeat(999)}`
    const cause = Object.assign(new Error(message), { code: 'EHOSTUNREACH' })
    const sentence = sentenceOf(new StorageError('unavailable', 'it is down', { cause }))
    expect(sentence).toContain('cannot be reached (no route to  postgres://…@db/app … xxx')
    expect(sentence.length).toBeLessThan(500)
  })
})

describe('the entitlements function', () => {
  test('that throws is reported without its message', () => {
    const sentence = sentenceOf(new RangeError('canary'), 'entitlements')
    expect(sentence).toMatch(/^The entitlements function failed: RangeError at \S+\.$/)
  })

  test('that answers something else gets a report of what it must answer', async () => {
    const lines = linesOfTest()
    const host = plainHost(memoryStorage(), { keys: { entitlements: () => ({}) as never } })
    expect(await host.list()).toBe(503)
    expect(lines).toEqual([
      expect.stringContaining(
        'The entitlements function failed: entitlements must answer { publicApi: boolean,',
      ),
    ])
  })
})

describe('another function of the host', () => {
  const refused = Object.assign(new Error('canary'), { code: 'ECONNREFUSED' })

  test.each([
    ['limiter', 'The rate limiter failed'],
    ['resource', 'The function "resource" of a guard failed'],
    ['clientAddress', 'The function "clientAddress" of a guard failed'],
    ['isSecure', 'The function "isSecure" of a guard failed'],
    ['guard', 'A guard failed'],
    ['formats', 'A function of a format failed'],
    ['onDenied', 'The onDenied function failed'],
    ['now', 'The clock failed'],
  ])('%s is reported by its name, and never as the storage', (operation, failed) => {
    const sentence = sentenceOf(refused, operation)
    expect(sentence).toContain(`${failed}: Error (ECONNREFUSED) at `)
    expect(sentence).not.toMatch(/canary|storage/)
  })

  test.each([
    ['formats', new Error('no answer in 5000 ms')],
    ['formats', new TypeError('Format "v1": "digest" must return 1 to 1,024 characters')],
    ['onDenied', new TypeError('onDenied must return a string as the body')],
    ['resource', new TypeError('The option "resource" names no type of resource "flow"')],
    ['limiter', new TypeError('The limiter answered an unknown member, "polices"')],
    ['isSecure', new TypeError('isSecure must return a boolean')],
    ['now', new TypeError('createApiKeys: option "now" must answer a valid Date')],
  ])('%s is reported in our own words: %s', (operation, error) => {
    expect(sentenceOf(error, operation)).toContain(` failed: ${error.message}.`)
  })
})

test('a lease that ended before its time is reported with the reason', () => {
  const sentence = sentenceOf(new Error('The lease ended: the clocks disagree.'), 'lease')
  expect(sentence).toBe('The cache forgot its keys: The lease ended: the clocks disagree.')
})

describe('a failure of the host', () => {
  const lineOf = async (context: () => unknown) => {
    const lines = linesOfTest()
    const host = plainHost(memoryStorage(), { routes: { context: context as never } })
    expect([await host.list(), await host.list()]).toEqual([500, 500])
    expect(lines).toHaveLength(1)
    return lines[0]
  }

  test('is reported with its place and without its message', async () => {
    const line = await lineOf(() => {
      throw new TypeError('canary')
    })
    expect(line).toMatch(
      /^miftah: A request was answered with an error: TypeError at \S+words\.test\.ts:\d+:\d+\. \(Reported once; set the option onError to be notified of every failure\.\)$/,
    )
  })

  test('is reported without what the client has named', async () => {
    const lines = linesOfTest()
    const secret = mintSecret('svc', 'live')
    const user = { id: 'u_1', name: 'نورة' }
    const { keys } = plainHost(memoryStorage())
    const query = { workspaceId: 'x'.repeat(300), [secret]: '1', user }
    const error: unknown = await keys.listKeys(query as never).catch((reason) => reason)
    const { sentence } = hostFailureInWords(error)
    expect(sentence).toContain('workspaceId must ')
    expect(sentence).not.toContain(secret)
    expect(lines).toEqual([])
  })

  test('that cannot be read ends nothing', async () => {
    linesOfTest()
    const host = plainHost(memoryStorage(), {
      routes: {
        context: () => {
          throw Object.defineProperty(new Error('x'), 'name', {
            get: () => {
              throw new Error('y')
            },
          })
        },
      },
    })
    expect(await host.list()).toBe(500)
  })
})
