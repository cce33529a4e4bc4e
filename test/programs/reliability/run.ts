import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { adoptRace } from './adopt-race.ts'
import { bulkKills } from './bulk-kills.ts'
import { ceilingRace } from './ceiling-race.ts'
import { eraseKills } from './erase-kills.ts'
import { expiryRace, HINDRANCES } from './expiry-race.ts'
import { frozenProcess } from './frozen-process.ts'
import { importKills } from './import-kills.ts'
import { killRounds } from './kill-rounds.ts'
import { limitRace } from './limit-race.ts'
import { mixedChanges } from './mixed-changes.ts'
import { narrowRace } from './narrow-race.ts'
import { noticeKills } from './notice-kills.ts'
import { openRace } from './open-race.ts'
import { relayKills } from './relay-kills.ts'
import { revokeRace } from './revoke-race.ts'
import { rotateRace } from './rotate-race.ts'
import type { Report } from './scenario.ts'
import { RIVALS, updateRace } from './update-race.ts'
import { usageKills } from './usage-kills.ts'

// The long forms: tsx test/programs/reliability/run.ts <storage module> [--rounds n] [--kills n] …

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '10000' },
    kills: { type: 'string', default: '300' },
    races: { type: 'string', default: '50' },
    seconds: { type: 'string', default: '60' },
    workers: { type: 'string', default: '4' },
    lanes: { type: 'string', default: '24' },
    only: { type: 'string' },
  },
})
const modulePath = resolve(positionals[0] ?? '')
const workers = Number(values.workers)
const races = Number(values.races)
const times = { workers, rounds: Number(values.rounds) }
const scenarios: Readonly<Record<string, () => Promise<Report>>> = {
  open: () => openRace(modulePath),
  limit: () => limitRace(modulePath, { workers, rounds: races }),
  rotate: () => rotateRace(modulePath, { workers, rounds: races }),
  adopt: () => adoptRace(modulePath, { workers, rounds: races }),
  mixed: () => mixedChanges(modulePath, { workers, ms: Number(values.seconds) * 1_000 }),
  revoke: () => revokeRace(modulePath, { workers, rounds: Number(values.rounds) }),
  pause: () => revokeRace(modulePath, { workers, rounds: Number(values.rounds), by: 'pause' }),
  narrow: () => narrowRace(modulePath, { ...times, lanes: 8 }),
  ...Object.fromEntries(
    RIVALS.map((rival) => [
      `update-${rival}`,
      () => updateRace(modulePath, { rival, workers, rounds: Number(values.rounds) }),
    ]),
  ),
  ...Object.fromEntries(
    HINDRANCES.map((hindrance) => [
      `expiry-${hindrance}`,
      () => expiryRace(modulePath, { ...times, lanes: Number(values.lanes), hindrance }),
    ]),
  ),
  ceiling: () => ceilingRace(modulePath, times),
  bulk: () => bulkKills(modulePath),
  erase: () => eraseKills(modulePath, { rounds: Number(values.kills) }),
  relay: () => relayKills(modulePath, { events: 10 * Number(values.kills) }),
  notices: () => noticeKills(modulePath, { kills: Number(values.kills) }),
  import: () => importKills(modulePath),
  usage: () =>
    usageKills(modulePath, { workers, rounds: Math.ceil(Number(values.kills) / workers) }),
  kill: () => killRounds(modulePath, { rounds: Number(values.kills) }),
  frozen: () => frozenProcess(modulePath, { rounds: races }),
}

// Only where it is asked for: a process that is frozen with SQLite's one lock keeps all others waiting.
for (const [name, play] of Object.entries(scenarios)) {
  if (values.only === undefined ? name === 'frozen' : values.only !== name) continue
  const report = await play()
  console.log(JSON.stringify(report))
  if (report.failures.length > 0) process.exitCode = 1
}
