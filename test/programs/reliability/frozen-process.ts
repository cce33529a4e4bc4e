import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { KeyStorage } from '../../../src/storage/index.ts'
import { ADMIN, newKey, openKeys } from './keys.ts'
import { playScenario, type Report, type Stage } from './scenario.ts'
import { GONE } from './task-process.ts'
import { startWorker } from './worker-process.ts'

/**
 * Freezes a process at a random point of its changes and makes changes in the same workspace: it
 * must hold nothing that they wait for. `mostMs` is what one change may take.
 */
export function frozenProcess(
  modulePath: string,
  { rounds = 5, mostMs = 20_000, longestMs = 40 } = {},
): Promise<Report> {
  return playScenario({ scenario: 'frozen process', modulePath, workers: 0 }, async (stage) => {
    const folder = await mkdtemp(join(tmpdir(), 'miftah-frozen-'))
    let slowestMs = 0
    for (let round = 0; round < rounds; round += 1) {
      const order = { workspaceId: `ws_frozen_${round}`, logPath: join(folder, `${round}.log`) }
      const worker = await startWorker(stage.modulePath, stage.target)
      const work = worker.call('workUntilKilled', order).catch((error: Error) => {
        if (error.message !== GONE) stage.fail(`round ${round}: ${error.message}`)
      })
      await firstAnswerIn(order.logPath, work)
      await pause(Math.random() * longestMs)
      worker.freeze()
      const ms = await slowestChange(stage.storage, order.workspaceId)
      if (ms > mostMs) stage.fail(`round ${round}: a change took ${Math.round(ms)} ms`)
      slowestMs = Math.max(slowestMs, Math.round(ms))
      await checkSeen(stage, order.workspaceId)
      await worker.kill()
      await work
    }
    await rm(folder, { recursive: true })
    return { rounds, slowestMs }
  })
}

/** Waits until an operation of the log is answered, since the first one opens the database, or the work has ended. */
export async function firstAnswerIn(path: string, work: Promise<unknown>): Promise<void> {
  let isOver = false
  void work.finally(() => {
    isOver = true
  })
  while (!isOver && !(await readFile(path, 'utf8').catch(() => '')).includes('answered')) {
    await pause(2)
  }
}

/** The longest of a create, a rotation, a flush and a revocation, in milliseconds. */
async function slowestChange(storage: KeyStorage, workspaceId: string): Promise<number> {
  const keys = openKeys(storage)
  const [createMs, { key }] = await timed(() => keys.createKey(newKey(workspaceId)))
  const action = { workspaceId, id: key.id, actor: ADMIN }
  const [rotateMs, { key: replacement, secret }] = await timed(() => keys.rotateKey(action))
  await keys.authenticateSecret(secret, null)
  const [flushMs] = await timed(() => keys.flush())
  const [revokeMs] = await timed(() => keys.revokeKey({ ...action, id: replacement.id }))
  return Math.max(createMs, rotateMs, flushMs, revokeMs)
}

async function timed<T>(call: () => Promise<T>): Promise<readonly [number, T]> {
  const begun = performance.now()
  const answer = await call()
  return [performance.now() - begun, answer]
}

/** Also the keys that the frozen process works on can be revoked. */
async function checkSeen({ storage, expectEqual }: Stage, workspaceId: string): Promise<void> {
  const keys = openKeys(storage)
  for (const { id } of (await keys.listKeys({ workspaceId, status: 'active', limit: 100 })).keys) {
    const { status } = await keys.revokeKey({ workspaceId, id, actor: ADMIN })
    expectEqual(status, 'revoked', id)
  }
}
