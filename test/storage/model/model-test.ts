import fc from 'fast-check'
import { afterAll, beforeAll, test, vi } from 'vitest'
import { defaultCatalogue, plans } from '../../../src/index.ts'
import type { KeyStorage } from '../../../src/storage/index.ts'
import { runs } from '../../support/runs.ts'
import {
  ArmFault,
  Authenticate,
  Change,
  ChangePlan,
  Create,
  CreateMany,
  ErasePerson,
  EraseWorkspace,
  Flush,
  List,
  MoveClock,
  PassTime,
  Purge,
  Revoke,
  Rotate,
  WORKSPACES,
} from './commands.ts'
import { openReal } from './real.ts'
import { Reference } from './reference.ts'

/** Far from every sum of the times that pass, whatever the commands themselves take. */
const TTL_MS = 600_000

const workspaceId = fc.constantFrom(...WORKSPACES)
const environment = fc.constantFrom('live', 'test')
const scope = fc.constantFrom(...defaultCatalogue.scopes.slice(0, 6))
const name = fc.constantFrom('CRM sync', 'مزامنة', 'x'.repeat(115), '🔑'.repeat(120))
const scopes = fc
  .subarray(defaultCatalogue.scopes.slice(0, 6), { minLength: 1 })
  .map((chosen) => [...chosen])
/** Short ones end within a step of the clock. */
const lifetimeMs = fc.constantFrom(null, null, null, 60_000, TTL_MS)
const fields = fc.record({ workspaceId, name, environment, scopes, lifetimeMs })
const target = fc.record({ workspaceId, pick: fc.nat(50) })
const edit = fc
  .record(
    {
      name,
      scopes,
      metadata: fc.constantFrom({ team: 'مبيعات' }, { team: 'ops', cost: '1' }, { team: null }),
      lifetimeMs: fc.constantFrom(null, 60_000, TTL_MS),
    },
    { requiredKeys: [] },
  )
  .filter((fields) => Object.keys(fields).length > 0)
const plan = fc.constantFrom(
  plans.business,
  plans.enterprise,
  plans.none,
  { publicApi: true, activeKeyLimit: 0 },
  { publicApi: true, activeKeyLimit: 2 },
)
const filter = fc.record(
  { status: fc.constantFrom('active', 'retiring', 'paused', 'expired', 'revoked'), environment },
  { requiredKeys: [] },
)
const slip = fc.constantFrom('none', 'none', 'none', 'none', 'missing', 'extra', 'typo')
const verb = fc.constantFrom(
  'insert',
  'findByHash',
  'findById',
  'list',
  'update',
  'rotate',
  'revoke',
  'addUses',
)
/** No step ends just before the end of a key: while a call waits, the key would expire. */
const STEP_MS = 5_000
const clock = fc.oneof(
  fc.constantFrom(TTL_MS, 7_200_000, -STEP_MS, -86_400_000),
  fc.integer({ min: 1, max: 15 }).map((steps) => steps * STEP_MS),
)
const passing = fc.constantFrom(0.7 * TTL_MS, 2 * TTL_MS)

const commands = [
  fields.map((made) => new Create(made)),
  fields.map((made) => new Create(made)),
  fc
    .tuple(fields, fc.integer({ min: 2, max: 12 }))
    .map(([made, count]) => new CreateMany(made, count)),
  fc
    .tuple(target, fc.constantFrom(1, 1, 1, 5), fc.constantFrom(0, 0, 5, 600))
    .map((of) => new Rotate(...of)),
  fc
    .tuple(target, fc.constantFrom('pause', 'resume', 'update', 'update'), edit)
    .map((of) => new Change(...of)),
  target.map((key) => new Revoke(key)),
  fc.tuple(workspaceId, filter, fc.integer({ min: 1, max: 6 })).map((of) => new List(...of)),
  ...Array.from({ length: 4 }, () =>
    fc.tuple(fc.nat(50), fc.option(scope), slip).map((of) => new Authenticate(...of)),
  ),
  fc.constant(0).map(() => new Flush()),
  fc.constant(0).map(() => new ErasePerson()),
  // The others stay open, or soon nothing could be created.
  fc.constant('ws_c').map((erased) => new EraseWorkspace(erased)),
  fc.constant(0).map(() => new Purge()),
  fc.tuple(workspaceId, plan, fc.boolean()).map((of) => new ChangePlan(...of)),
  clock.map((byMs) => new MoveClock(byMs)),
  passing.map((ms) => new PassTime(ms)),
  fc
    .tuple(verb, fc.constantFrom('refused' as const, 'lost' as const))
    .map((of) => new ArmFault(...of)),
]

/** What a failure prints, given back: `seed`, `path` and the `replayPath` of the commands. */
const { MIFTAH_PATH: path, MIFTAH_REPLAY: replayPath } = process.env

/**
 * Random sequences of everything that can be done to keys, with the storage failing in between, on
 * the library over a real storage and on a reference in plain lists; after every step all that is
 * stored is compared. A failure is shrunk and prints its seed and path, with which it is replayed:
 * `MIFTAH_SEED=… MIFTAH_PATH=… MIFTAH_REPLAY=… npx vitest run test/storage/model`.
 */
export function modelTest(
  storageName: string,
  open: () => KeyStorage | Promise<KeyStorage>,
  {
    close = () => {},
    numRuns = 100,
  }: { readonly close?: (storage: KeyStorage) => unknown; readonly numRuns?: number } = {},
): void {
  const total = runs(numRuns)
  let passedMs = 0
  const passTime = (ms: number) => {
    passedMs += ms
  }
  beforeAll(() => {
    const now = performance.now.bind(performance)
    vi.spyOn(performance, 'now').mockImplementation(() => now() + passedMs)
  })
  afterAll(() => vi.restoreAllMocks())
  const sequence = fc.commands(commands, {
    maxCommands: 80,
    ...(replayPath === undefined ? {} : { replayPath }),
  })
  test(
    `${storageName}: ${total} random histories are as the reference says`,
    async () => {
      await fc.assert(
        fc.asyncProperty(sequence, async (history) => {
          const reference = new Reference(TTL_MS)
          const storage = await open()
          const real = openReal(storage, reference, passTime)
          try {
            await fc.asyncModelRun(() => ({ model: reference, real }), history)
          } finally {
            real.faults.clear()
            await real.keys.close()
            await close(storage)
          }
        }),
        { numRuns: total, ...(path === undefined ? {} : { path }) },
      )
    },
    600_000 + total * 1_000,
  )
}
