import { setTimeout as pause } from 'node:timers/promises'
import { importInto, importingKeys, secretOf } from './import-rows.ts'
import { playScenario, type Report, type Stage } from './scenario.ts'
import { startWorker } from './worker-process.ts'

/**
 * Imports keys in a process that is killed several times and starts again from the first row. Each
 * key is then stored once, with one event, and its old secret works.
 */
export function importKills(
  modulePath: string,
  { keys = 40_000, kills = 5 } = {},
): Promise<Report> {
  return playScenario({ scenario: 'import kills', modulePath, workers: 0 }, async (stage) => {
    let killed = 0
    for (; killed < kills; killed += 1) await importAndDie(stage, keys)
    const begun = performance.now()
    const last = await importInto(stage.storage, keys)
    const importMs = performance.now() - begun
    const again = await importInto(stage.storage, keys)
    stage.expectEqual(again, { imported: 0, exists: keys }, 'a repeated import')
    await checkKeys(stage, keys)
    return { keys, killed, leftByTheKilled: last.exists, lastImportMs: Math.round(importMs) }
  })
}

/** Imports until it is killed, somewhere among the rows. */
async function importAndDie({ modulePath, target }: Stage, keys: number): Promise<void> {
  const worker = await startWorker(modulePath, target)
  const gone = worker.call('importAll', { keys }).catch(() => undefined)
  await pause(50 + (Math.random() * keys) / 10)
  await worker.kill()
  await gone
}

async function checkKeys(stage: Stage, keys: number): Promise<void> {
  const host = importingKeys(stage.storage)
  let accepted = 0
  for (let at = 0; at < keys; at += 1) {
    const result = await host.authenticateSecret(secretOf(at), 'contacts.read')
    if (result.ok && result.key.name === `Key ${at}`) accepted += 1
  }
  stage.expectEqual(accepted, keys, 'how many old secrets are accepted')
  await host.flush()
  let stored = 0
  let events = 0
  for (let at = 0; at < 100; at += 1) {
    const workspaceId = `ws_import_${at}`
    stored += (await host.listKeys({ workspaceId, limit: 1 })).activeKeys
    const log = await stage.storage.events(workspaceId, { after: null, limit: 100_000 })
    events += log.events.length
  }
  stage.expectEqual([stored, events], [keys, keys], 'keys and events')
  await host.close()
}
