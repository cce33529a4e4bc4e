import { describe, expect, onTestFinished, test } from 'vitest'
import { miftah } from '../support/command-line.ts'
import { databaseForFile } from '../support/postgres/own-database.ts'
import { openTcpProxy } from '../support/tcp-proxy.ts'

const db = databaseForFile()

test('a life in a schema of its own', async () => {
  const on = ['-d', db.url, '--schema', 'apart']
  expect((await miftah(['migrate', ...on])).code).toBe(0)
  const words = ['create', ...on, '-w', 'ws_1', '-n', 'x', '-e', 'test', '-s', 'contacts.read']
  const { key, secret } = JSON.parse((await miftah([...words, '--json'])).out)
  expect((await miftah(['find', ...on], secret)).out).toContain(key.id)
  expect((await miftah(['revoke', key.id, ...on, '-w', 'ws_1'])).code).toBe(0)
  const { rows } = await db.pool.query('SELECT count(*)::int FROM apart.miftah_keys')
  expect(rows).toEqual([{ count: 1 }])
})

describe('a change whose answer is lost may have happened, and the one line says what to do', () => {
  const NEW = ['-w', 'ws_lost', '-n', 'x', '-e', 'test', '-s', 'contacts.read']
  const ISSUED =
    'The key may have been issued: list the keys and revoke the new one, whose secret is lost.'

  /** Runs a command whose server is gone as soon as it has carried out the write. */
  async function answerLost(words: readonly string[]) {
    const through = new URL(db.url)
    const proxy = await openTcpProxy(through.hostname, Number(through.port))
    onTestFinished(proxy.close)
    through.port = String(proxy.port)
    void proxy
      .cutNext('change AS MATERIALIZED', 'before_the_answer')
      .then(() => proxy.use('refuse'))
    return miftah([...words, '-d', through.href])
  }

  async function keysThere() {
    return JSON.parse((await miftah(['list', '-d', db.url, '-w', 'ws_lost', '--json'])).out)
  }

  test.each([
    ['create', ISSUED],
    ['rotate', ISSUED],
    ['revoke', 'The key may still work: revoke it again, until this succeeds.'],
    ['pause', 'The key may still work: pause it again, until this succeeds.'],
  ])('%s', async (command, advice) => {
    await miftah(['migrate', '-d', db.url])
    const { key } = JSON.parse((await miftah(['create', '-d', db.url, ...NEW, '--json'])).out)
    const words = command === 'create' ? NEW : [key.id, '-w', 'ws_lost']
    const before = JSON.stringify(await keysThere())
    const { code, out, err } = await answerLost([command, ...words])
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err).toContain(`miftah: ${advice} The key storage`)
    expect(err.trimEnd().split('\n')).toHaveLength(1)
    expect(JSON.stringify(await keysThere())).not.toBe(before)
  })

  test('a change that never left says nothing of the kind', async () => {
    const { code, err } = await miftah(['create', ...NEW, '-d', 'postgres://127.0.0.1:1/none'])
    expect(code).toBe(1)
    expect(err).not.toContain('may')
  })
})
