import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loggedStorage } from '../../support/memory-log.ts'
import { ROOT } from '../../support/package/npm.ts'

/*
 * npx tsx test/programs/bench/restrictions.ts [COMMIT]
 * What restrictions cost a guard, in processor time: pairs of slices in turn, and the ratio of each pair. With
 * a commit, also an unrestricted key on a route without the new options, against the sources of that commit.
 */

const CALLS = 3_000
const PAIRS = 150
const IDS = Array.from({ length: 100 }, (_, at) => `project_${1_000 + at}`)
const NETWORKS = Array.from({ length: 20 }, (_, at) => `203.0.${113 + at}.0/24`)
const RESTRICTED = { resources: { project: IDS }, networks: NETWORKS }

/** The last of 100 ids, from an address in the last of 20 networks. */
const OPTIONS = {
  resource: () => ({ project: IDS.at(-1) ?? '' }),
  clientAddress: (at: number) => `203.0.132.${at % 256}`,
}

type Call = () => unknown

interface Contender {
  /** The folder of the sources. */
  readonly root?: string
  readonly fields?: object
  readonly options?: object
  readonly isCached?: boolean
}

async function callOf({ root = ROOT, fields = {}, options = {}, isCached = false }: Contender) {
  const { createApiKeys, defineResources, plans } = await import(join(root, 'src/index.ts'))
  const { createGuard } = await import(join(root, 'src/http/index.ts'))
  const { memoryStorage } = await import(join(root, 'adapters/storage/memory.ts'))
  const keys = createApiKeys({
    storage: isCached ? loggedStorage().storage : memoryStorage(),
    entitlements: () => plans.enterprise,
    ...(isCached && { cache: { leaseMs: 30_000 } }),
    ...(defineResources && {
      resources: defineResources([{ type: 'project', label: { en: 'Projects' } }]),
    }),
  })
  const { secret } = await keys.createKey({
    ...{ workspaceId: 'ws_1', creator: { id: 'u_1', name: 'Noura' }, name: 'CRM sync' },
    ...{ environment: 'live', scopes: ['contacts.read'], ...fields },
  })
  const guard = createGuard(keys, 'contacts.read', options)
  const bytes = Buffer.from(`Bearer ${secret}`)
  let at = 0
  const call: Call = () => {
    at += 1
    // A text made anew, as a host makes it of the bytes of a request.
    const line = bytes.toString('latin1')
    return guard.check('GET', (name: string) => (name === 'authorization' ? [line] : []), at)
  }
  await call()
  // The lease of the cache comes with the first renewal.
  await new Promise((resolve) => setTimeout(resolve, isCached ? 300 : 0))
  await call()
  if (isCached && call() instanceof Promise) throw new Error('the key is not in memory')
  return call
}

/** The processor time of a slice, in microseconds, with all threads of the process. */
async function slice(call: Call): Promise<number> {
  const begun = process.cpuUsage()
  for (let count = 0; count < CALLS; count += 1) {
    const verdict = call()
    const { ok } = (verdict instanceof Promise ? await verdict : verdict) as { ok: boolean }
    if (!ok) throw new Error('the key was refused')
  }
  const { user, system } = process.cpuUsage(begun)
  return user + system
}

async function compare(name: string, base: Contender, other: Contender): Promise<void> {
  const [first, second] = [await callOf(base), await callOf(other)]
  const ratios: number[] = []
  for (let pair = -10; pair < PAIRS; pair += 1) {
    const isFirst = pair % 2 === 0
    const one = await slice(isFirst ? first : second)
    const two = await slice(isFirst ? second : first)
    if (pair >= 0) ratios.push(isFirst ? two / one : one / two)
  }
  const sorted = ratios.toSorted((one, two) => one - two)
  const at = (share: number) => sorted[Math.floor((sorted.length - 1) * share)]?.toFixed(2)
  console.log(`${name}: ${at(0.5)} (${at(0.25)} to ${at(0.75)})`)
}

const [commit] = process.argv.slice(2)
if (commit !== undefined) {
  const before = mkdtempSync(join(tmpdir(), 'miftah-before-'))
  try {
    const sources = execFileSync('git', ['archive', commit, 'src', 'adapters', 'package.json'], {
      ...{ cwd: ROOT, maxBuffer: 2 ** 28 },
    })
    execFileSync('tar', ['-x', '-C', before], { input: sources })
    symlinkSync(join(ROOT, 'node_modules'), join(before, 'node_modules'))
    await compare('without restrictions, times before', { root: before }, {})
    await compare('control: before, times before', { root: before }, { root: before })
  } finally {
    rmSync(before, { recursive: true })
  }
}
for (const isCached of [false, true]) {
  const where = isCached ? 'in the cache' : 'on memory storage'
  const base = { options: OPTIONS, isCached }
  await compare(`restricted, ${where}, times unrestricted`, base, { ...base, fields: RESTRICTED })
}
process.exit()
