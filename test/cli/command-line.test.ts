import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { actorOf } from '../../adapters/cli/command.ts'
import type { OptionValues } from '../../adapters/cli/command-line.ts'
import { COMMANDS } from '../../adapters/cli/run.ts'
import { postgresSchema } from '../../adapters/storage/postgres.ts'
import { miftah } from '../support/command-line.ts'
import { freshPath } from '../support/sqlite-files.ts'

/** A file that SQLite takes for a database without tables. */
function emptyFile(): string {
  const path = freshPath()
  writeFileSync(path, '')
  return path
}

const NEW = ['-w', 'ws_1', '-n', 'CRM sync', '-e', 'live', '-s', 'contacts.read']

describe('a wrong command line: one line that says what is wrong, exit code 2, nothing changed', () => {
  const cases: readonly (readonly [readonly string[], string])[] = [
    [['crate'], 'There is no command "crate"; did you mean "create"?'],
    [['lst'], 'There is no command "lst"; did you mean "list"?'],
    [['constructor'], 'There is no command "constructor"; known names: migrate, doctor, '],
    [['list', '--wrkspace', 'x'], 'list has no option "--wrkspace"; did you mean "--workspace"?'],
    [
      ['list', '--wrkspace=pa55word'],
      'list has no option "--wrkspace"; did you mean "--workspace"?',
    ],
    [['--wrkspace', 'x', 'list'], 'There is no option "--wrkspace"; did you mean "--workspace"?'],
    [['list'], 'list needs the option --workspace.'],
    [['list', 'extra', '-w', 'ws_1'], 'list takes no argument.'],
    [
      ['list', '-w', 'ws_1', '--print'],
      'list has no option "--print"; known names: --workspace, --status, ',
    ],
    [['list', '-w', 'ws_1', '--status', 'dead'], 'The input is not valid: status'],
    [['list', '-w', ''], 'The input is not valid: workspaceId'],
    [
      ['revoke', '-w', 'ws_1'],
      'revoke needs either an ID or one of --creator, --environment, --scope, --resource and --unused-for-days.',
    ],
    [['revoke', 'a', 'b', '-w', 'ws_1'], 'revoke needs one argument: ID.'],
    [['rotate', '-w', 'ws_1'], 'rotate needs one argument: ID.'],
    [['rotate', '', '-w', 'ws_1'], 'rotate needs one argument: ID.'],
    [['create', '-w', 'ws_1'], 'create needs the option --name.'],
    [
      ['create', ...NEW, '-s', 'contacts.reed'],
      'Without the catalogue in the application\'s --config there is no scope "contacts.reed"; did you mean "contacts.read"?',
    ],
    [
      ['create', ...NEW, '-s', 'invoices:approve'],
      'Without the catalogue in the application\'s --config there is no scope "invoices:approve"; known names: ',
    ],
    [['create', ...NEW, 'svc_live_secret'], 'create takes no argument.'],
    [
      ['migrate', '--print'],
      '--print supports PostgreSQL and MySQL only; for SQLite, call sqliteSchema() from miftah/sqlite.',
    ],
    [['migrate', '--runtime-role', 'app'], '--runtime-role requires --print.'],
    [['erase-person', 'u_1'], 'erase-person cannot be undone: confirm it with --yes.'],
    [['erase-workspace', 'ws_1'], 'erase-workspace cannot be undone: confirm it with --yes.'],
    [['purge', '--ended-before', '2026-01-31'], 'purge cannot be undone: confirm it with --yes.'],
    [['purge', '--yes'], 'purge needs --ended-before, --events-before or both.'],
    [['revoke', 'key_1', '-w', 'ws_1', '--yes'], 'revoke has no option "--yes"; known names: '],
    [
      ['erase-workspace', '--yes', '-w', 'ws_1'],
      'erase-workspace has no option "-w"; known names: --yes, --database, ',
    ],
    [['purge', '--yes', '--ended-before', '2026-02-30'], '--ended-before must be in UTC, as '],
    [['purge', '--yes', '--events-before', 'January'], '--events-before must be in UTC, as '],
    [['purge', '--yes', '--ended-before', '2100-01-31'], 'The input is not valid: endedBefore'],
    [['find'], 'find reads the secret from standard input: it is empty.'],
    [['find', '--json=yes'], 'find: --json takes no value.'],
    [
      ['list', '-w', 'ws_1', '--status'],
      '--status needs a value; one with a dash in front follows at once',
    ],
    [['list', '-w', '--json'], '-w needs a value; one with a dash in front follows at once'],
  ]

  test.each(cases)('%j', async (words, message) => {
    const path = emptyFile()
    const { code, out, err } = await miftah([...words, '-d', path])
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err).toContain(`miftah: ${message}`)
    expect(err.trimEnd().split('\n')).toHaveLength(1)
    expect(statSync(path).size).toBe(0)
  })

  test.each([
    ['postgres://u:pa55word@h/db', 'list'],
    ['u:pa55word@h/db', 'list'],
    ['pa55word@h', 'list'],
    ['--postgres://u:pa55word@h/db', 'list'],
  ])('a mistyped address %s is not printed: it may hold a password', async (...words) => {
    const { code, out, err } = await miftah(words)
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err).toMatch(/^miftah: There is no such (command|option)\.\n$/)
  })

  test('an endless standard input is not a secret', async () => {
    const { code, err } = await miftah(['find', '-d', emptyFile()], 'x'.repeat(5_000))
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
    [
      'is not migrated',
      emptyFile,
      'has no tables of miftah; version 1 is needed: run npx miftah migrate',
    ],
    ['is a folder', () => dirname(freshPath()), 'SQLite cannot open the file'],
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

  test('in a folder that is missing cannot be migrated: its path, and what to do', async () => {
    const path = `${freshPath()}/none/keys.db`
    const { code, err } = await miftah(['migrate', '-d', path])
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining(path) })
    expect(err).toContain('create its folder, and let this process read and write both.\n')
  })

  test('that is a mistyped URL shows no password', async () => {
    const { code, err } = await miftah(['migrate', '-d', 'postgres//app:pa55word@db/app'])
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining(' file …@db/app (') })
  })

  test.each([
    ['mongodb://app:pa55word@db/keys', 'mongodb:'],
    ['jdbc:postgresql://db/keys', 'jdbc:'],
    ['sqlite:keys.db', 'sqlite:'],
  ])('%s is refused by name, and no file is created', async (address, scheme) => {
    const message = `is a ${scheme} URL; it must be a postgres: or mysql: URL, or the path of a SQLite file.`
    vi.stubEnv('DATABASE_URL', address)
    for (const [words, source] of [
      [['-d', address], '--database'],
      [[], 'DATABASE_URL'],
    ] as const) {
      for (const command of [['migrate'], ['list', '-w', 'ws_1']]) {
        const { code, err } = await miftah([...command, ...words])
        expect({ code, err }).toEqual({ code: 2, err: `miftah: ${source} ${message}\n` })
      }
    }
    vi.unstubAllEnvs()
    expect(existsSync(address)).toBe(false)
  })

  test('of SQLite has no --schema', async () => {
    const { code, err } = await miftah(['migrate', '-d', freshPath(), '--schema', 'apart'])
    const message = 'miftah: --schema is for PostgreSQL only.\n'
    expect({ code, err }).toEqual({ code: 2, err: message })
  })

  test('with a bad name of a schema is a wrong command line', async () => {
    const words = ['list', '-d', 'postgres://127.0.0.1:1/none', '-w', 'ws_1']
    const { code, err } = await miftah([...words, '--schema', 'Bad Name'])
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining('Option "schema" must') })
  })
})

describe('migrate --print', () => {
  beforeEach(() => void vi.stubEnv('DATABASE_URL', undefined))
  afterEach(() => void vi.unstubAllEnvs())

  test('needs no database', async () => {
    const roles = ['--runtime-role', 'app', '--erasure-role', 'ops']
    expect(await miftah(['migrate', '--print', '--schema', 'apart', ...roles])).toEqual({
      code: 0,
      out: `${postgresSchema({ schema: 'apart', runtimeRole: 'app', erasureRole: 'ops' })}\n`,
      err: '',
    })
  })

  test.each([
    ['--schema', 'Bad Name', 'Option "schema" must'],
    ['--database', 'keys.db', '--print supports PostgreSQL and MySQL only'],
  ])('with %s %j: one line, exit code 2', async (option, value, message) => {
    const { code, out, err } = await miftah(['migrate', '--print', option, value])
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err).toContain(message)
    expect(err.trimEnd().split('\n')).toHaveLength(1)
  })
})

describe('who is written into the audit log', () => {
  afterEach(() => void vi.unstubAllEnvs())

  test.each([
    [{ USER: 'noura', USERNAME: 'other' }, 'noura'],
    [{ USER: '', USERNAME: 'noura' }, 'noura'],
    [{ USER: '', USERNAME: '' }, 'operator'],
    [{ USER: undefined, USERNAME: undefined }, 'operator'],
  ])('%j: %s', async (environment, name) => {
    for (const [variable, value] of Object.entries(environment)) vi.stubEnv(variable, value)
    expect(actorOf({} as OptionValues)).toEqual({ id: `cli:${name}`, name })
  })
})

describe('a SQLite file that does not exist: one line, exit code 2, nothing created', () => {
  const MISSING = 'is not the path of an existing SQLite file; `miftah migrate` creates one.'
  // Those without a database, and those that read their config before it.
  const OTHERS = ['migrate', 'import', 'copy', 'serve']
  const examples = Object.entries(COMMANDS).filter(([name]) => !OTHERS.includes(name))

  test.each(examples)('the example of %s', async (_, { example }) => {
    const path = freshPath()
    const words = example.replace(/ (?:-d|-c|<) \S+/g, '').split(' ')
    for (const database of [path, `file:${path}`, `${pathToFileURL(path)}?cache=shared`]) {
      expect(await miftah([...words, '-d', database], 'svc_live_x')).toEqual({
        code: 2,
        out: '',
        err: `miftah: --database ${MISSING}\n`,
      })
    }
    expect(readdirSync(dirname(path))).toEqual([])
  })

  test('import', async () => {
    const { code, err } = await miftah(['import', 'rows.jsonl', '-d', freshPath()])
    expect({ code, err }).toEqual({ code: 2, err: `miftah: --database ${MISSING}\n` })
  })

  test('named by DATABASE_URL: its value is not printed, which may hold a password', async () => {
    vi.stubEnv('DATABASE_URL', 'postgres//app:pa55word@db/app')
    const { code, err } = await miftah(['list', '-w', 'ws_1'])
    expect({ code, err }).toEqual({ code: 2, err: `miftah: DATABASE_URL ${MISSING}\n` })
    vi.unstubAllEnvs()
  })

  test('migrate creates it, and then a URI finds it', async () => {
    const path = `${freshPath()} 2`
    expect((await miftah(['migrate', '-d', path])).code).toBe(0)
    expect(existsSync(path)).toBe(true)
    const list = ['list', '-w', 'ws_1', '--json', '-d', `${pathToFileURL(path)}`]
    expect(await miftah(list)).toEqual({ code: 0, out: '[]\n', err: '' })
  })
})

describe('help', () => {
  test.each([[[]], [['help']], [['--help']], [['-d', 'keys.db']]])('%j', async (words) => {
    const { code, out, err } = await miftah(words)
    expect({ code, err }).toEqual({ code: 0, err: '' })
    for (const name of Object.keys(COMMANDS)) expect(out).toContain(`\n  ${name} `)
  })

  test.each(Object.entries(COMMANDS))('of %s has its options and an example', async (name, own) => {
    const ran = await miftah([name, '--help'])
    expect(ran).toMatchObject({ code: 0, err: '' })
    expect(ran.out).toMatch(new RegExp(`^Usage: miftah ${name} `))
    for (const option of own.needs ?? [])
      expect(ran.out).toMatch(new RegExp(`--${option} .* required: `))
    expect(ran.out.endsWith(`\nExample:\n  $ npx miftah ${own.example}\n`)).toBe(true)
    expect(await miftah(['help', name])).toEqual(ran)
    expect(await miftah(['-w', 'ws_1', name, '-h'])).toEqual(ran)
  })

  test('--version', async () => {
    expect(await miftah(['-v'])).toEqual({ code: 0, out: 'development\n', err: '' })
  })
})

test('options may stand before the command, and a value may begin with a dash', async () => {
  const on = ['--json', '-d', freshPath(), '--workspace=-ws']
  await miftah([...on.slice(1, 3), 'migrate'])
  const { out } = await miftah([...on, 'create', ...NEW.slice(2)])
  expect(JSON.parse(out).key.workspaceId).toBe('-ws')
  expect(JSON.parse((await miftah([...on, 'list'])).out)).toHaveLength(1)
})
