import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { sampleInsertion, sampleRecord } from '../../../adapters/storage/testing/samples.ts'
import { playScenario, type Report, type Stage, stateOf } from './scenario.ts'
import { startWorker } from './worker-process.ts'

const WORKSPACES = ['ws_relay_0', 'ws_relay_1', 'ws_relay_2']
const LEASE_MS = 200

/**
 * Two relays deliver events while new ones come, and are killed at it time and again. Each event
 * arrives at least once, and for the first time in the order of its workspace.
 */
export function relayKills(modulePath: string, { events = 300 } = {}): Promise<Report> {
  return playScenario({ scenario: 'relay kills', modulePath, workers: 0 }, async (stage) => {
    const folder = await mkdtemp(join(tmpdir(), 'miftah-relays-'))
    const logPath = join(folder, 'delivered.log')
    let relaying = true
    const lane = async () => {
      let kills = 0
      for (; relaying; kills += 1) await relayForAWhile(stage, logPath, () => relaying)
      return kills
    }
    // One that fails ends the scenario where it is waited for, which is later.
    const lanes = Promise.all([lane(), lane()])
    lanes.catch(() => undefined)
    try {
      await insertSome(stage, events)
      const lines = await deliveries(logPath, events)
      relaying = false
      const kills = (await lanes).reduce((sum, count) => sum + count, 0)
      await checkDeliveries(stage, lines)
      return { events, deliveries: lines.length, kills }
    } finally {
      relaying = false
      await lanes.catch(() => undefined)
      await rm(folder, { recursive: true })
    }
  })
}

async function relayForAWhile(
  { modulePath, target }: Stage,
  logPath: string,
  relaying: () => boolean,
): Promise<void> {
  const worker = await startWorker(modulePath, target)
  const before = await sizeOf(logPath)
  const work = worker.call('relayUntilKilled', { logPath, leaseMs: LEASE_MS })
  const gone = work.catch(() => undefined)
  await pause(50 + Math.random() * 2 * LEASE_MS)
  // On a slow machine no relay would ever live long enough to deliver anything.
  while (relaying() && (await sizeOf(logPath)) === before) await pause(20)
  await worker.kill()
  await gone
}

async function sizeOf(path: string): Promise<number> {
  const found = await stat(path).catch(() => null)
  return found?.size ?? 0
}

async function insertSome({ storage }: Stage, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    const record = sampleRecord({ workspaceId: WORKSPACES[index % WORKSPACES.length] ?? '' })
    await storage.write([sampleInsertion(record)])
    await pause(Math.random() * 10)
  }
}

/** The lines of the log once there are as many different ones as events. */
async function deliveries(logPath: string, events: number): Promise<readonly string[]> {
  const deadline = Date.now() + 300_000 + events * 50
  for (;;) {
    const text = await readFile(logPath, 'utf8').catch(() => '')
    const lines = text.split('\n').slice(0, -1)
    if (new Set(lines).size >= events || Date.now() > deadline) return lines
    await pause(20)
  }
}

async function checkDeliveries(stage: Stage, lines: readonly string[]): Promise<void> {
  const firsts = [...new Set(lines)]
  for (const workspaceId of WORKSPACES) {
    const { events } = await stateOf(stage.storage, workspaceId)
    const expected = events.map(({ id }) => `${workspaceId} ${id}`)
    const delivered = firsts.filter((line) => line.startsWith(`${workspaceId} `))
    stage.expectEqual(delivered, expected, `${workspaceId}: what was delivered`)
  }
}
