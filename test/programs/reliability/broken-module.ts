import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { KeyStorage } from '../../../src/storage/index.ts'
import { PLANTED } from '../../support/planted-storages.ts'
import { openStorage as openSound } from './sqlite-module.ts'
import type { OpenStorage } from './storage-module.ts'

/** A storage with faults of the field, one in each process that an environment variable names, on which scenarios must fail. */
export { createPlace } from './sqlite-module.ts'

const FAULTS = {
  'cached lookups': PLANTED.races['answers lookups from a cache'],
  /** Forgets the bound of what may have been added. Two processes have read each workspace before one writes. */
  'no bound': (good, target) => ({
    async write(writes, call) {
      for (const { workspaceId } of writes) await meet(target, workspaceId)
      return good.write(
        writes.map((write) => ({ ...write, ifAddedAtMost: null })),
        call,
      )
    },
  }),
  /** Takes each batch of uses for the first of a new writer, and stores it twice. */
  'uses twice': (good) => ({
    async addUses(batch) {
      await good.addUses(batch)
      await good.addUses({ ...batch, writer: `${batch.writer} again` })
    },
  }),
  'lost events': PLANTED.stored['drops the events of a step'],
  /** Delivers the newest events first. */
  'events backwards': (good) => ({
    claimEvents: async (claim, call) => (await good.claimEvents(claim, call)).toReversed(),
  }),
} satisfies Readonly<Record<string, (good: KeyStorage, target: string) => Partial<KeyStorage>>>

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
