import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { KeyStorage } from '../../../src/storage/index.ts'
import { ADMIN, newKey, openKeys } from './keys.ts'
import { killed, type Stage, stateOf } from './stage.ts'

const LONGEST_MS = 60

/**
 * A process is killed at a random point of its changes. What was answered is there with its event; what was not is
 * there whole, with its event, or not at all; and nobody has to wait for what the process held.
 */
export async function killRounds(stage: Stage) {
  let answered = 0
  for (let round = 0; round < stage.rounds; round += 1) {
    const { worker, work, workspaceId, logPath } = await startChanges(stage, round)
    const begun = linesIn(logPath).then(() => pause(Math.random() * LONGEST_MS))
    await killed(stage, { worker, work, begun })
    const told = await readLines(logPath)
    answered += told.length
    await checkLeft(stage, workspaceId, told)
    await changeAll(stage.storage, workspaceId)
  }
  return { rounds: stage.rounds, answered }
}

/** A process is frozen at a random point of its changes: it must hold nothing that the changes of others wait for. */
export async function frozenRounds(stage: Stage) {
  let slowestMs = 0
  for (let round = 0; round < stage.rounds; round += 1) {
    const { worker, work, workspaceId, logPath } = await startChanges(stage, round)
    await linesIn(logPath)
    await pause(Math.random() * LONGEST_MS)
    worker.freeze()
    const begun = performance.now()
    await changeAll(stage.storage, workspaceId)
    slowestMs = Math.max(slowestMs, Math.round(performance.now() - begun))
    await killed(stage, { worker, work, begun: Promise.resolve() })
  }
  // Far more than the changes take, and less than a call waits for its storage.
  if (slowestMs > 20_000) stage.fail(`the changes took ${slowestMs} ms`)
  return { rounds: stage.rounds, slowestMs }
}

async function startChanges(stage: Stage, round: number) {
  const workspaceId = `ws_${round}`
  const logPath = join(stage.folder, `${round}.log`)
  const worker = await stage.startWorker()
  const work = worker.call('change', { workspaceId, logPath })
  // Waited for when it is killed.
  work.catch(() => undefined)
  return { worker, work, workspaceId, logPath }
}

/** Waits until something is in a file. */
async function linesIn(path: string): Promise<void> {
  while ((await readLines(path)).length === 0) await pause(2)
}

/** The lines of a file, but for one that was cut short. */
export async function readLines(path: string): Promise<readonly string[]> {
  return (await readFile(path, 'utf8').catch(() => '')).split('\n').slice(0, -1)
}

/** The events are those that were answered, and at most one more; and each key is as its events say. */
async function checkLeft(stage: Stage, workspaceId: string, answered: readonly string[]) {
  const { keys, events } = await stateOf(stage.storage, workspaceId)
  const told = events.map(({ type, keyId }) => `${type} ${keyId}`)
  stage.expectEqual(told.slice(0, answered.length), answered, `${workspaceId}: the events`)
  const open = told.length - answered.length
  if (open > 1) stage.fail(`${workspaceId}: ${open} changes that nobody asked for`)
  for (const { record } of keys) {
    const own = events.filter(({ keyId }) => keyId === record.id).map(({ type }) => type)
    const isEnded = own.some((type) => /rotated|revoked/.test(type))
    const isCreated = own.includes('api_key.created') || record.replaces !== null
    // A replacement has no event of its own: the rotation is that of the old key.
    const version = own.length + (record.replaces === null ? 0 : 1)
    stage.expectEqual(
      [isCreated, record.revokedAtMs !== null, record.replacedBy !== null, record.version],
      [true, isEnded, own.includes('api_key.rotated'), version],
      `${workspaceId}: ${record.id}`,
    )
  }
}

/** A creation, a flush, and a revocation of every key that is there. */
async function changeAll(storage: KeyStorage, workspaceId: string): Promise<void> {
  const keys = openKeys(storage)
  const { secret } = await keys.createKey(newKey(workspaceId))
  await keys.authenticateSecret(secret, null)
  await keys.flush()
  const { keys: active } = await keys.listKeys({ workspaceId, status: 'active', limit: 100 })
  for (const { id } of active) await keys.revokeKey({ workspaceId, id, actor: ADMIN })
  await keys.close()
}

const WORKSPACES = ['ws_relay_0', 'ws_relay_1', 'ws_relay_2']
const LEASE_MS = 200

/** Two relays deliver while events come, and are killed time and again: each event arrives, first in its order. */
export async function relayKills(stage: Stage) {
  const keys = openKeys(stage.storage)
  const logPath = join(stage.folder, 'delivered.log')
  const events = 5 * stage.rounds
  let kills = 0
  let isOver = false
  const lane = async () => {
    for (; !isOver; kills += 1) {
      const worker = await stage.startWorker()
      const before = (await readLines(logPath)).length
      const delivers = async () => {
        while (!isOver && (await readLines(logPath)).length === before) await pause(20)
        await pause(Math.random() * LEASE_MS)
      }
      const work = worker.call('relay', { logPath, leaseMs: LEASE_MS })
      await killed(stage, { worker, work, begun: delivers() })
    }
  }
  const lanes = Promise.all([lane(), lane()])
  for (let at = 0; at < events; at += 1) {
    await keys.createKey(newKey(WORKSPACES[at % 3] ?? ''))
    await pause(Math.random() * 10)
  }
  const endMs = performance.now() + 120_000
  while (new Set(await readLines(logPath)).size < events && performance.now() < endMs) {
    await pause(20)
  }
  isOver = true
  await lanes
  const first = [...new Set(await readLines(logPath))]
  for (const workspaceId of WORKSPACES) {
    const stored = (await stateOf(stage.storage, workspaceId)).events
    const delivered = first.filter((line) => line.startsWith(`${workspaceId} `))
    const expected = stored.map(({ id }) => `${workspaceId} ${id}`)
    stage.expectEqual(delivered, expected, `${workspaceId}: what was delivered`)
  }
  await keys.close()
  return { events, kills }
}

/**
 * Processes authenticate with one key and are killed at random points. Every use that a flush has answered for
 * is stored and nothing that was not counted: nothing counts twice. Uses and their history agree.
 */
export async function usageKills(stage: Stage) {
  const keys = openKeys(stage.storage)
  const workspaceId = 'ws_usage'
  const { key, secret } = await keys.createKey(newKey(workspaceId))
  let [flushed, counted] = [0, 0]
  const workAndDie = async (logPath: string) => {
    const read = async () => readFile(logPath, 'utf8').catch(() => '')
    const begins = async () => {
      while (!(await read()).includes('F')) await pause(5)
      await pause(Math.random() * 2 * LONGEST_MS)
    }
    const worker = await stage.startWorker()
    const work = worker.call('use', { secret, logPath })
    await killed(stage, { worker, work, begun: begins() })
    const log = await read()
    const dots = (text: string) => text.replaceAll('F', '').length
    flushed += dots(log.slice(0, log.lastIndexOf('F') + 1))
    counted += dots(log)
  }
  for (let round = 0; round < stage.rounds; round += 1) {
    const paths = [0, 1, 2, 3].map((at) => join(stage.folder, `${round}-${at}`))
    await Promise.all(paths.map(workAndDie))
    const [stored] = (await stateOf(stage.storage, workspaceId)).keys
    const ever = { id: key.id, fromHour: 0, toHour: 2 ** 31 - 1 }
    const history = (await stage.storage.usage(workspaceId, ever)) ?? []
    const uses = stored?.usage.uses ?? 0
    const what = `round ${round}`
    if (uses < flushed || uses > counted) {
      stage.fail(`${what}: ${uses} stored, ${flushed} flushed, ${counted} counted`)
    }
    const accepted = history.map(({ outcome, count }) => (outcome === 'accepted' ? count : NaN))
    stage.expectEqual(
      accepted.reduce((sum, count) => sum + count, 0),
      uses,
      `${what}: the history`,
    )
  }
  await keys.close()
  return { rounds: stage.rounds, flushed, counted }
}
