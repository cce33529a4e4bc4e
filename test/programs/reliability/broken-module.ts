import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { KeyRecord, KeyStorage } from '../../../src/storage/index.ts'
import { openStorage as openSound } from './sqlite-module.ts'
import type { OpenStorage } from './storage-module.ts'

/** A storage with faults of the field, one in each process that an environment variable names, on which scenarios must fail. */
export { createPlace } from './sqlite-module.ts'

type Broken = (good: KeyStorage, target: string) => Partial<KeyStorage>

export const FAULTS = {
  /** Answers lookups from a cache that nothing clears. */
  'cached lookups': (good) => {
    const cache = new Map<string, KeyRecord | null>()
    return {
      async findByHash(hash) {
        const record = cache.get(hash) ?? (await good.findByHash(hash))
        cache.set(hash, record)
        return record
      },
    }
  },
  /** Forgets the bound of what may have been added. Two processes have read each workspace before one writes. */
  'no bound': (good, target) => {
    const met = new Set<string>()
    return {
      async write(writes, call) {
        for (const { workspaceId } of writes) {
          if (!met.has(workspaceId)) await meet(target, workspaceId)
          met.add(workspaceId)
        }
        const unbound = writes.map((write) => ({ ...write, ifAddedAtMost: null }))
        return good.write(unbound, call)
      },
    }
  },
  /** Counts no key as active. */
  'no count': (good) => ({
    read: async (query, call) => ({ ...(await good.read(query, call)), activeKeys: 0 }),
  }),
  /** Writes over whatever edition is stored. Two processes have read each key before one changes it. */
  'no edition': (good, target) => ({
    async write(writes, call) {
      const keys = writes.flatMap((write) => write.keys)
      for (const { record, ifEdition } of keys) {
        if (ifEdition !== null) await meet(target, record.id)
      }
      for (;;) {
        const current = await Promise.all(writes.map((write) => atPresent(good, write)))
        const outcomes = await good.write(current, call)
        if (outcomes.every(({ outcome }) => outcome === 'stored')) return outcomes
      }
    },
  }),
  /** Drops the last key of each page. */
  'short pages': (good) => ({
    async list(workspaceId, query) {
      const page = await good.list(workspaceId, query)
      return { ...page, keys: page.keys.slice(0, -1) }
    },
  }),
  /** Takes each batch of uses for the first of a new writer, and stores it twice. */
  'uses twice': (good) => ({
    async addUses(batch) {
      await good.addUses(batch)
      await good.addUses({ ...batch, writer: `${batch.writer} again` })
    },
  }),
  /** Loses the events of each write. */
  'lost events': (good) => ({
    write: (writes, call) =>
      good.write(
        writes.map((write) => ({ ...write, events: [] })),
        call,
      ),
  }),
  /** Delivers the newest events first. */
  'events backwards': (good) => ({
    claimEvents: async (claim, call) => (await good.claimEvents(claim, call)).toReversed(),
  }),
  /** Lists no key that replaces another. */
  'hidden replacements': (good) => ({
    async list(workspaceId, query) {
      const page = await good.list(workspaceId, query)
      return { ...page, keys: page.keys.filter(({ record }) => record.replaces === null) }
    },
  }),
  /** Closes no workspace. */
  'never closed': () => ({ closeWorkspace: async () => {} }),
} satisfies Readonly<Record<string, Broken>>

export type FaultName = keyof typeof FAULTS

export function openStorage(target: string): OpenStorage {
  const sound = openSound(target)
  const fault = process.env['MIFTAH_TEST_FAULT'] as FaultName | undefined
  const broken = fault === undefined ? {} : FAULTS[fault](sound, target)
  return new Proxy(sound, {
    get(good, name) {
      const method: unknown = Reflect.get(broken, name) ?? Reflect.get(good, name)
      return typeof method === 'function' ? method.bind(good) : method
    },
  })
}

/** Waits until two processes are at the same point, so that a race does not depend on who is faster. */
async function meet(target: string, point: string): Promise<void> {
  const folder = join(`${target}.meetings`, point)
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, String(process.pid)), '')
  while ((await readdir(folder)).length < 2) await pause(5)
}

type Write = Parameters<KeyStorage['write']>[0][number]

async function atPresent(good: KeyStorage, write: Write): Promise<Write> {
  const ids = write.keys.map(({ record }) => record.id)
  const query = {
    workspaceId: write.workspaceId,
    ids,
    eventIds: [],
    countAtMs: null,
    countUpTo: null,
  }
  const { keys } = await good.read(query)
  const editions = new Map(keys.map(({ record, edition }) => [record.id, edition]))
  const moved = write.keys.map((key) => ({
    ...key,
    ifEdition: editions.get(key.record.id) ?? null,
  }))
  return { ...write, keys: moved }
}
