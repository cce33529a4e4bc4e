import { existsSync } from 'node:fs'
import { afterEach, describe, expect, test } from 'vitest'
import { COMMANDS } from '../../adapters/cli/run.ts'
import { miftah } from '../support/command-line.ts'
import { freshPath } from '../support/sqlite-files.ts'

const NEW = ['-w', 'ws_1', '-n', 'CRM sync', '-e', 'live', '-s', 'contacts.read']

describe('a wrong command line: one line that says what is wrong, exit code 2, nothing changed', () => {
  const cases: readonly (readonly [readonly string[], string])[] = [
    [['crate'], 'There is no command "crate".'],
    [['constructor'], 'There is no command "constructor".'],
    [['list', '--wrkspace', 'x'], "Unknown option '--wrkspace'."],
    [['list'], 'list needs the option --workspace.'],
    [['list', 'extra', '-w', 'ws_1'], 'list takes no argument.'],
    [['list', '-w', 'ws_1', '--print'], 'list takes no option --print.'],
    [['list', '-w', 'ws_1', '--status', 'dead'], 'The input is not valid: status'],
    [['list', '-w', ''], 'The input is not valid: workspaceId'],
    [['revoke', '-w', 'ws_1'], 'revoke needs one argument: ID.'],
    [['revoke', 'a', 'b', '-w', 'ws_1'], 'revoke needs one argument: ID.'],
    [['create', '-w', 'ws_1'], 'create needs the option --name.'],
    [['create', ...NEW, '-s', 'contacts.reed'], 'The input is not valid: scopes.1'],
    [['create', ...NEW, 'svc_live_secret'], 'create takes no argument.'],
    [['migrate', '--print'], '--print is for PostgreSQL; SQLite needs no SQL.'],
    [['migrate', '--runtime-role', 'app'], '--runtime-role goes with --print.'],
    [['find'], 'find reads the secret from standard input: it is empty.'],
    [['find', '--json=yes'], "Option '--json' does not take an argument."],
    [['list', '-w', 'ws_1', '--status'], 'Option'],
  ]

  test.each(cases)('%j', async (words, message) => {
    const path = freshPath()
    const { code, out, err } = await miftah([...words, '-d', path])
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err).toContain(`miftah: ${message}`)
    expect(err.trimEnd().split('\n')).toHaveLength(1)
    expect(existsSync(path)).toBe(false)
  })

  test('an endless standard input is not a secret', async () => {
    const { code, err } = await miftah(['find', '-d', freshPath()], 'x'.repeat(5_000))
    expect({ code, err }).toEqual({
      code: 2,
      err: 'miftah: Standard input is too long for a secret.\n',
    })
  })
})

describe('a database', () => {
  const { DATABASE_URL } = process.env
  afterEach(() => {
    if (DATABASE_URL === undefined) delete process.env['DATABASE_URL']
    else process.env['DATABASE_URL'] = DATABASE_URL
  })

  test('has to be named', async () => {
    delete process.env['DATABASE_URL']
    expect(await miftah(['list', '-w', 'ws_1'])).toEqual({
      code: 2,
      out: '',
      err: 'miftah: No database: give --database or set DATABASE_URL.\n',
    })
  })

  test('may be named by DATABASE_URL', async () => {
    process.env['DATABASE_URL'] = freshPath()
    expect((await miftah(['migrate'])).code).toBe(0)
    expect((await miftah(['list', '-w', 'ws_1', '--json'])).out).toBe('[]\n')
  })

  test.each([
    ['is not migrated', () => freshPath(), 'the tables are missing'],
    ['is in no folder', () => `${freshPath()}/none/keys.db`, 'SQLite cannot open the file'],
    [
      'does not listen',
      () => 'postgres://127.0.0.1:1/none',
      'no database server listens at this address',
    ],
  ])('that %s: one line with its cause, exit code 1', async (_, database, cause) => {
    const { code, out, err } = await miftah(['list', '-d', database(), '-w', 'ws_1'])
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err).toContain(cause)
    expect(err.trimEnd().split('\n')).toHaveLength(1)
  })

  test('with a bad name of a schema is a wrong command line', async () => {
    const words = ['list', '-d', 'postgres://127.0.0.1:1/none', '-w', 'ws_1']
    const { code, err } = await miftah([...words, '--schema', 'Bad Name'])
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining('schema: ') })
  })
})

describe('help', () => {
  test.each([[[]], [['help']], [['--help']], [['list', '-h']]])('%j', async (words) => {
    const { code, out } = await miftah(words)
    expect(code).toBe(0)
    for (const name of Object.keys(COMMANDS)) expect(out).toContain(`\n  ${name}`)
  })

  test('--version', async () => {
    expect(await miftah(['-v'])).toEqual({ code: 0, out: 'development\n', err: '' })
  })
})
