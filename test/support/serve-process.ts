import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { onTestFinished } from 'vitest'
import { compiledCli, startCli } from './cli-process.ts'
import { miftah } from './command-line.ts'
import { compiled } from './compiled.ts'
import { freshPath } from './sqlite-files.ts'

/** The token of a resource server of every workspace, and one of `ws_1` alone. */
export const TOKEN = `any_${'t'.repeat(40)}`
export const TOKEN_OF_1 = `one_${'t'.repeat(40)}`

const EXPORTS = {
  entitlements: '() => plans.enterprise',
  catalogue: 'defaultCatalogue',
  resources: "defineResources([{ type: 'project', label: { en: 'Projects' } }])",
  proxy: "'nginx'",
  requirement: "(_method, path) => ({ '/contacts': 'contacts.read', '/any': null })[path]",
  listen: "'127.0.0.1:0'",
  listenForRevocations: "'127.0.0.1:0'",
}

/** Writes a config module with all that `serve` needs, and `own` on top; `null` leaves an export out. */
export async function configFile(own: Readonly<Record<string, string | null>> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'miftah-serve-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const tokenFile = join(folder, 'tokens')
  writeFileSync(tokenFile, `# resource servers\n\n${TOKEN} *\n${TOKEN_OF_1}  ws_1\n`)
  const source = await compiled({ code: "export * from './src/index.ts'" })
  const exported = { ...EXPORTS, tokenFile: JSON.stringify(tokenFile), ...own }
  const lines = Object.entries(exported)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `export const ${name} = ${value}`)
  const path = join(folder, 'miftah.serve.mjs')
  const imported = `import { defaultCatalogue, defineResources, plans } from '${pathToFileURL(source).href}'`
  writeFileSync(path, [imported, ...lines, ''].join('\n'))
  return path
}

/** A config whose requests for `/slow` wait until `open` is called. */
export async function gatedConfig(own: Readonly<Record<string, string>> = {}) {
  const gate = `${freshPath()}.gate`
  const config = await configFile({
    requirement: `async (_method, path) => {
      const { existsSync, writeFileSync } = await import('node:fs')
      const gate = ${JSON.stringify(gate)}
      if (path === '/slow') writeFileSync(gate + '.entered', '')
      while (path === '/slow' && !existsSync(gate)) await new Promise((done) => setTimeout(done, 5))
      return null
    }`,
    ...own,
  })
  onTestFinished(() => {
    for (const path of [gate, `${gate}.entered`]) rmSync(path, { force: true })
  })
  const hasEntered = () => existsSync(`${gate}.entered`)
  return { config, hasEntered, open: () => writeFileSync(gate, '') }
}

/** A running `miftah serve`. */
export interface Served {
  readonly child: ChildProcess
  /** The base addresses of the two listeners. */
  readonly own: string
  readonly ofHolders: string
  readonly printed: { err: string }
  /** Ends it as an operator does; answers the exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>
}

/** Starts `miftah serve` as a process of its own, and waits until it listens. */
export async function startServe(database: string, config: string): Promise<Served> {
  const hasHolders = readFileSync(config, 'utf8').includes('export const listenForRevocations')
  const child = startCli(await compiledCli(), ['serve', '-d', database, '-c', config])
  onTestFinished(() => void child.kill('SIGKILL'))
  const printed = { out: '', err: '' }
  child.stderr?.on('data', (chunk) => (printed.err += chunk))
  const closed = once(child, 'close')
  const [own = '', ofHolders = ''] = await new Promise<readonly string[]>((resolve, reject) => {
    child.stdout?.on('data', (chunk) => {
      printed.out += chunk
      const urls = [...printed.out.matchAll(/ on (http:\S+)\n/g)].map(([, url = '']) => url)
      if (urls.length > Number(hasHolders)) resolve(urls)
    })
    closed.then(() => reject(new Error(`serve ended: ${printed.err}`)), reject)
  })
  const stop = async (signal: NodeJS.Signals = 'SIGTERM') => {
    child.kill(signal)
    const [code] = await closed
    return code as number | null
  }
  return { child, own, ofHolders, printed, stop }
}

/** Forward authentication of a GET, as nginx sends it. */
export function forward(base: string, path: string, secret?: string): Promise<Response> {
  return fetch(`${base}/auth`, {
    headers: {
      'X-Original-Method': 'GET',
      'X-Original-URI': path,
      ...(secret !== undefined && { Authorization: `Bearer ${secret}` }),
    },
  })
}

/** Introspection of a secret by a resource server. */
export function introspect(base: string, secret: string, authorization = `Bearer ${TOKEN}`) {
  return fetch(`${base}/introspect`, {
    method: 'POST',
    headers: { authorization },
    body: new URLSearchParams({ token: secret }),
  })
}

/** The revocation of a secret by its holder. */
export function revoke(base: string, secret: string): Promise<Response> {
  return fetch(`${base}/revoke`, { method: 'POST', body: new URLSearchParams({ token: secret }) })
}

/** Creates a key with `miftah create`. */
export async function create(database: string, workspace = 'ws_1') {
  const words = ['create', '-d', database, '-w', workspace, '-n', 'x', '-e', 'live', '--json']
  const { out } = await miftah([...words, '-s', 'contacts.read'])
  return JSON.parse(out) as { key: { id: string }; secret: string }
}
