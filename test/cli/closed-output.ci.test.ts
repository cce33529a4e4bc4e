import { closeSync, existsSync, openSync } from 'node:fs'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { compiledCli, endOf, startCli } from '../support/cli-process.ts'
import { miftah } from '../support/command-line.ts'
import { migratedPath } from '../support/sqlite-files.ts'

let cli: string
let path: string
beforeAll(async () => {
  cli = await compiledCli()
})
beforeEach(async () => {
  path = await migratedPath()
})

const ON = ['-w', 'ws_1']
const NEW = [...ON, '-n', 'CRM sync', '-e', 'live', '-s', 'contacts.read']

/** Runs a command whose reader has gone before it prints. */
function unread(words: readonly string[]) {
  const child = startCli(cli, [...words, '-d', path])
  child.stdout?.destroy()
  return endOf(child)
}

describe('a reader of standard output that has gone: one line, exit code 1', () => {
  const GONE = 'Standard output cannot be written (EPIPE).'
  const LOST =
    /^miftah: Standard output cannot be written \(EPIPE\)\. The secret of (key_\S+) is lost: rotate or revoke that key\.\n$/

  test.each([[['list', ...ON]], [['doctor']], [['--help']]])('%j', async (words) => {
    expect(await unread(words)).toEqual({ code: 1, out: '', err: `miftah: ${GONE}\n` })
  })

  test('create and rotate say that the secret is lost, and of which key', async () => {
    const { code, err } = await unread(['create', ...NEW, '--json'])
    expect(code).toBe(1)
    expect(err).toMatch(LOST)
    const [, id = ''] = LOST.exec(err) ?? []
    const rotated = await unread(['rotate', id, ...ON])
    expect(rotated.code).toBe(1)
    const [first, second, ...more] = rotated.err.split('\n')
    expect(first).toContain('Its secret is')
    expect(`${second}\n`).toMatch(LOST)
    expect(more).toEqual([''])
    // The line names the key that has the secret, and not the one that was replaced.
    const [, heir = ''] = LOST.exec(`${second}\n`) ?? []
    const { out } = await miftah(['list', '-d', path, ...ON, '--status', 'active', '--json'])
    expect(JSON.parse(out)).toMatchObject([{ id: heir }])
  })

  test.runIf(existsSync('/dev/full'))('a full disk is reported in the same way', async () => {
    const full = openSync('/dev/full', 'w')
    const child = startCli(cli, ['--help'], ['ignore', full, 'pipe'])
    closeSync(full)
    expect(await endOf(child)).toMatchObject({ code: 1, err: expect.stringContaining('(ENOSPC)') })
  })
})

test('a reader of standard error that has gone leaves the exit code of what went wrong', async () => {
  const child = startCli(cli, ['crate'])
  child.stderr?.destroy()
  expect(await endOf(child)).toMatchObject({ code: expect.toSatisfy((code) => code > 0), out: '' })
})
