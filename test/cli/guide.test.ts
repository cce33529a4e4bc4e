import { execFile } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { fencesIn } from '../house/snippets.ts'
import { compiledCli } from '../support/cli-process.ts'
import { compiled } from '../support/compiled.ts'
import { importInput } from '../support/lifecycle/import.ts'

const PAGE = readFileSync(new URL('../../docs/command-line.md', import.meta.url), 'utf8')

/** A command of the guide and what it shows below. */
interface Typed {
  readonly command: string
  readonly shown: string
}

/** The commands in the order of the page, without those on a database that only the page has. */
const commands: readonly Typed[] = [...PAGE.matchAll(/```console\n([\s\S]*?)```/g)]
  .flatMap(([, block = '']) => block.split(/^ *\$ /m).slice(1))
  .map((text) => {
    const [command = '', ...shown] = text.split('\n')
    return { command, shown: shown.join('\n').trim().replaceAll(/^ +/gm, '') }
  })
  .filter(({ command }) => !command.includes('db.internal'))

const ID = /key_[\w-]{21}/g

/** A folder in which the page's commands find what they name: the package, its config and its files. */
async function folderOfReader(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'miftah-guide-'))
  const own = join(folder, 'node_modules/miftah')
  mkdirSync(own, { recursive: true })
  writeFileSync(join(own, 'package.json'), '{ "type": "module", "exports": "./index.js" }')
  const index = pathToFileURL(await compiled({ code: "export * from './src/index.ts'" })).href
  writeFileSync(join(own, 'index.js'), `export * from '${index}'`)
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  for (const { code } of fencesIn('docs/command-line.md', PAGE)) {
    const name = /^\/\/ (\S+\.js)\n/.exec(code)?.[1]
    if (name !== undefined) writeFileSync(join(folder, name), code)
  }
  const rows = Array.from({ length: 7 }, (_, at) => ({
    ...importInput({ digest: `digest ${at}` }),
    scopes: ['invoices.read'],
    ...(at === 6 && { name: '' }),
  }))
  writeFileSync(join(folder, 'old-keys.jsonl'), rows.map((row) => JSON.stringify(row)).join('\n'))
  mkdirSync(join(folder, 'bin'))
  const npx = join(folder, 'bin/npx')
  const run = `shift\nexec "${process.execPath}" "${await compiledCli()}" "$@"\n`
  writeFileSync(npx, `#!/bin/sh\n${run}`)
  chmodSync(npx, 0o755)
  return folder
}

/** What a shell shows of a command, whatever its exit code. */
function typed(command: string, cwd: string): Promise<string> {
  const { DATABASE_URL: _, ...environment } = process.env
  const env = { ...environment, PATH: `${join(cwd, 'bin')}${delimiter}${process.env['PATH']}` }
  return new Promise((resolve) => {
    execFile('sh', ['-c', `{ ${command}\n} 2>&1`], { cwd, env }, (_error, out) => resolve(out))
  })
}

test.runIf(process.platform !== 'win32')(
  'every command of the guide shows what the guide shows',
  async () => {
    expect(commands.length).toBeGreaterThan(10)
    const folder = await folderOfReader()
    const ids = new Map<string, string>()
    for (const { command, shown } of commands) {
      const own = command.replaceAll(ID, (id) => ids.get(id) ?? id)
      const out = (await typed(own, folder)).trim()
      for (const [at, id] of (shown.match(ID) ?? []).entries()) {
        ids.set(id, ids.get(id) ?? out.match(ID)?.[at] ?? id)
      }
      expect(out, command).toMatch(patternOf(shown, ids))
      // What a support ticket has, for `find`.
      const secret = /^\w+_live_\w+$/m.exec(out)?.[0]
      if (secret?.startsWith('svc_')) writeFileSync(join(folder, 'leaked.txt'), secret)
    }
  },
)

/** What is shown, with the ids of this run, and any instants and secrets. */
function patternOf(shown: string, ids: ReadonlyMap<string, string>): RegExp {
  const source = shown
    .replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:]+\\\.\d{3}Z/g, '\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z')
    .replaceAll(ID, (id) => ids.get(id) ?? id)
    .replaceAll(/_live_\w*…/g, '_live_\\w+…?')
  return new RegExp(`^${source}$`)
}
