import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { actorOf, COMMANDS } from '../../adapters/cli/run.ts'
import { mysqlSchema } from '../../adapters/storage/mysql.ts'
import { postgresSchema } from '../../adapters/storage/postgres.ts'
import { miftah } from '../support/command-line.ts'
import { freshPath } from '../support/sqlite-files.ts'
import { done, expectRefused, jsonOf, NEW } from './world.ts'

beforeEach(() => void vi.stubEnv('DATABASE_URL', undefined))
afterEach(() => void vi.unstubAllEnvs())

/** A file that SQLite takes for a database without tables. */
function emptyFile(): string {
  const path = freshPath()
  writeFileSync(path, '')
  return path
}

const LIST = ['list', '-w', 'ws_1']
const FOREIGN = "Without the catalogue in the application's --config there is no scope"

describe('a wrong command line: one line that says what is wrong, and nothing changed', () => {
  test.each<[readonly string[], string]>([
    [['crate'], "unknown command 'crate' (Did you mean create?)"],
    [['constructor'], "unknown command 'constructor'"],
    [['list', '--wrkspace', 'x'], "unknown option '--wrkspace' (Did you mean --workspace?)"],
    [['list', '--wrkspace=pa55word'], "miftah: unknown option '--wrkspace'\n"],
    [[...LIST, '--print'], "unknown option '--print'"],
    [['find', '--json=yes'], "miftah: unknown option '--json'\n"],
    [['list'], 'list needs the option --workspace.'],
    [['create', '-w', 'ws_1'], 'create needs the option --name.'],
    [['list', 'extra', '-w', 'ws_1'], "too many arguments for 'list'"],
    [['create', ...NEW, 'svc_live_secret'], "too many arguments for 'create'"],
    [['revoke', 'a', 'b', '-w', 'ws_1'], "too many arguments for 'revoke'"],
    [['rotate', '-w', 'ws_1'], "missing required argument 'ID'"],
    [[...LIST, '--status'], 'argument missing'],
    [['list', '-w', '--json'], 'argument missing'],
    [['create', ...NEW, '-n', '--force'], 'It is an option.'],
    [[...LIST, '--status', 'dead'], 'The input is not valid: status'],
    [['list', '-w', ''], 'The input is not valid: workspaceId'],
    [['revoke', '-w', 'ws_1'], 'revoke needs either an ID or one of --creator, --environment'],
    [['revoke', 'key_1', '-w', 'ws_1', '--dry-run'], 'revoke takes --dry-run with filters only.'],
    [['revoke', '-w', 'ws_1', '-s', 'a', '-s', 'b'], 'revoke takes one --scope.'],
    [['create', ...NEW, '-s', 'contacts.reed'], `${FOREIGN} "contacts.reed"; did you mean`],
    [['migrate', '--print'], '--print supports PostgreSQL and MySQL only; for SQLite, call'],
    [['migrate', '--runtime-role', 'app'], '--runtime-role requires --print.'],
    [['migrate', '--schema', 'apart'], '--schema is for PostgreSQL only.'],
    [['purge', '--ended-before', '2026-01-31'], 'purge cannot be undone: confirm it with --yes.'],
    [['purge', '--yes'], 'purge needs --ended-before, --events-before or both.'],
    [['purge', '--yes', '--ended-before', '2026-02-30'], '--ended-before must be in UTC, as '],
    [['purge', '--yes', '--events-before', 'January'], '--events-before must be in UTC, as '],
    [['purge', '--yes', '--ended-before', '2100-01-31'], 'The input is not valid: endedBefore'],
    [['find'], 'find reads the secret from standard input: it is empty.'],
  ])('%j', async (words, message) => {
    const path = emptyFile()
    await expectRefused([...words, '-d', path], message)
    expect(statSync(path).size).toBe(0)
  })

  test.each([
    'postgres://u:pa55word@h/db',
    'pa55word@h',
    '--postgres://u:pa55word@h/db',
    `svc_live_${'0'.repeat(46)}`,
  ])('%s is not printed: it may be a secret or hold one', async (word) => {
    await expectRefused([word, 'list'], /^miftah: There is no such (command|option)\.\n$/)
  })

  test('an endless standard input is not a secret', async () => {
    const input = 'x'.repeat(5_000)
    await expectRefused(['find', '-d', emptyFile()], 'is too long for a secret.', { input })
  })
})

describe('a database', () => {
  test('has to be named, or DATABASE_URL names it', async () => {
    await expectRefused(LIST, 'No database: give --database or set DATABASE_URL.')
    vi.stubEnv('DATABASE_URL', freshPath())
    expect((await miftah(['migrate'])).code).toBe(0)
    expect(await jsonOf(...LIST)).toEqual([])
  })

  test.each([
    ['is not migrated', emptyFile, 'version 1 is needed: run npx miftah migrate'],
    ['is a folder', () => dirname(freshPath()), 'SQLite cannot open the file'],
    ['does not listen', () => 'postgres://127.0.0.1:1/none', 'no database server listens'],
  ])('that %s: one line with its cause, exit code 1', async (_, database, cause) => {
    await expectRefused([...LIST, '-d', database()], cause, { code: 1 })
  })

  test('in a folder that is missing cannot be migrated: its path, and what to do', async () => {
    const path = `${freshPath()}/none/keys.db`
    const cure = 'create its folder, and let this process read and write both.\n'
    await expectRefused(['migrate', '-d', path], cure, { code: 1 })
    await expectRefused(['migrate', '-d', path], path, { code: 1 })
  })

  test.each([
    ['mongodb://app:pa55word@db/keys', 'mongodb:'],
    ['sqlite:keys.db', 'sqlite:'],
  ])('%s is refused by name, and no file is created', async (address, scheme) => {
    const message = `is a ${scheme} URL; it must be a postgres: or mysql: URL, or the path of a SQLite file.`
    await expectRefused(['migrate', '-d', address], `miftah: --database ${message}\n`)
    vi.stubEnv('DATABASE_URL', address)
    await expectRefused(LIST, `miftah: DATABASE_URL ${message}\n`)
    expect(existsSync(address)).toBe(false)
  })

  test('that is a mistyped URL shows no password', async () => {
    const address = 'postgres//app:pa55word@db/app'
    await expectRefused(['migrate', '-d', address], ' file …@db/app (', { code: 1 })
    vi.stubEnv('DATABASE_URL', address)
    await expectRefused(LIST, /^miftah: DATABASE_URL is not the path of [^@]*$/)
  })

  test('with a bad name of a schema is a wrong command line', async () => {
    const words = [...LIST, '-d', 'postgres://127.0.0.1:1/none', '--schema', 'Bad Name']
    await expectRefused(words, 'Option "schema" must')
  })
})

describe('migrate', () => {
  test('makes the tables, and again nothing', async () => {
    const path = `${freshPath()} 2`
    for (const _ of ['first', 'again']) {
      const err = 'The tables are up to date.\n'
      expect(await miftah(['migrate', '-d', path])).toEqual({ code: 0, out: '', err })
    }
    expect(await jsonOf(...LIST, '-d', `${pathToFileURL(path)}`)).toEqual([])
  })

  test('--print needs no database', async () => {
    const print = ['migrate', '--print', '--runtime-role', 'app', '--erasure-role', 'ops']
    const roles = { runtimeRole: 'app', erasureRole: 'ops' }
    const sql = postgresSchema({ schema: 'apart', ...roles })
    expect(await miftah([...print, '--schema', 'apart'])).toEqual(done(`${sql}\n`))
    const users = mysqlSchema({ runtimeUser: 'app', erasureUser: 'ops' })
    expect(await miftah([...print, '-d', 'mysql://x/y'])).toEqual(done(`${users}\n`))
    await expectRefused([...print, '--schema', 'Bad Name'], 'Option "schema" must')
    const quoted = ['migrate', '--print', '-d', 'mysql://x/y', '--runtime-role', "a'b"]
    await expectRefused(quoted, 'without quotes')
  })
})

test.each([
  [{ USER: 'noura', USERNAME: 'other' }, 'noura'],
  [{ USER: '', USERNAME: 'noura' }, 'noura'],
  [{ USER: undefined, USERNAME: undefined }, 'operator'],
])('the audit log names the user of the machine: %j is %s', (environment, name) => {
  for (const [variable, value] of Object.entries(environment)) vi.stubEnv(variable, value)
  expect(actorOf({})).toEqual({ id: `cli:${name}`, name })
})

describe('a SQLite file that does not exist: one line, exit code 2, nothing created', () => {
  // Those without a database, and those that read their config before it.
  const OTHERS = ['migrate', 'import', 'copy', 'serve']
  const examples = Object.entries(COMMANDS).filter(([name]) => !OTHERS.includes(name))

  test.each(examples)('the example of %s', async (_, { example }) => {
    const path = freshPath()
    const words = example.replace(/ (?:-d|-c|<) \S+/g, '').split(' ')
    const message =
      '--database is not the path of an existing SQLite file; `miftah migrate` creates'
    for (const database of [path, `file:${path}`, `${pathToFileURL(path)}?cache=shared`]) {
      await expectRefused([...words, '-d', database], message, { input: 'svc_live_x' })
    }
    expect(readdirSync(dirname(path))).toEqual([])
  })
})

describe('help', () => {
  test.each([[[]], [['help']], [['--help']], [['-d', 'keys.db']]])('%j', async (words) => {
    const { code, out, err } = await miftah(words)
    expect({ code, err }).toEqual({ code: 0, err: '' })
    for (const name of Object.keys(COMMANDS)) expect(out).toContain(`\n  ${name} `)
  })

  test.each(Object.entries(COMMANDS))('of %s has its options and an example', async (name, own) => {
    const { code, out } = await miftah([name, '--help'])
    expect({ code, end: out.split('\nExample:\n')[1] }).toEqual({
      code: 0,
      end: `  $ npx miftah ${own.example}\n`,
    })
    expect(out).toMatch(new RegExp(`^Usage: miftah ${name} `))
    for (const option of own.needs ?? []) expect(out).toMatch(`--${option}`)
    expect(await miftah(['help', name])).toEqual(done(out))
  })

  test('--version', async () => expect(await miftah(['-v'])).toEqual(done('development\n')))
})

test('options of every command may stand before it, and a value may begin with a dash', async () => {
  const path = freshPath()
  await miftah(['-d', path, 'migrate'])
  const words = ['create', '--workspace=-ws', ...NEW.slice(2)]
  const { out } = await miftah(['--json', '-d', path, ...words])
  expect(JSON.parse(out).key.workspaceId).toBe('-ws')
})
