import { expect, test } from 'vitest'
import { Sweep } from '../../../src/cache/barrier.ts'
import { ManualMachine } from '../../support/manual-machine.ts'
import { MemoryLog } from '../../support/memory-log.ts'

/** A log with nodes that have acknowledged all 5 changes. */
async function open(leases: Readonly<Record<string, number>>) {
  const log = new MemoryLog()
  const machine = new ManualMachine()
  for (const [node, leaseMs] of Object.entries(leases)) await log.register({ node, leaseMs })
  for (const row of log.nodes.values()) row.acked = 5
  log.asked.length = 0
  const failed: unknown[] = []
  const onFailedLook = (error: unknown) => failed.push(error)
  return { log, machine, failed, sweep: new Sweep({ log, machine, onFailedLook }) }
}

test('nodes that do not renew are removed together, twice their longest lease later', async () => {
  const { log, machine, sweep } = await open({ own: 1_000, dead: 1_000, other: 3_000, alive: 500 })
  await sweep.run(5, 'own')
  await machine.pass(5_000)
  await log.renew({ node: 'alive', renewal: 1, answered: 0, applied: 5 })
  await machine.pass(999)
  expect(log.nodes.size).toBe(4)
  await machine.pass(1)
  expect([...log.nodes.keys()]).toEqual(['own', 'alive'])
  expect(log.asked).toEqual(['laggingNodes', 'renew', 'evict'])
})

test('without other nodes there is nothing to wait for', async () => {
  const { log, machine, sweep } = await open({ own: 1_000 })
  await sweep.run(5, 'own')
  expect([log.asked, machine.timers]).toEqual([['laggingNodes'], 0])
})

test('neither a lost look nor a lost eviction fails it', async () => {
  const { log, machine, failed, sweep } = await open({ dead: 1_000 })
  log.outage = new Error('down')
  await sweep.run(5, null)
  expect([failed, machine.timers]).toEqual([[log.outage], 0])
  log.outage = null
  await sweep.run(5, null)
  log.outage = new Error('down')
  await machine.pass(2_000)
  expect([log.asked, log.nodes.size]).toEqual([['laggingNodes', 'laggingNodes', 'evict'], 1])
})

test('a second sweep takes the place of the first', async () => {
  const { log, machine, sweep } = await open({ dead: 1_000 })
  await sweep.run(5, null)
  await sweep.run(5, null)
  expect(machine.timers).toBe(1)
  await machine.pass(2_000)
  expect(log.asked).toEqual(['laggingNodes', 'laggingNodes', 'evict'])
})

test('nothing is left to run after a stop, also in the middle of a look', async () => {
  const { machine, sweep } = await open({ dead: 1_000 })
  await sweep.run(5, null)
  sweep.stop()
  expect(machine.timers).toBe(0)
  const looking = sweep.run(5, null)
  sweep.stop()
  await looking
  expect(machine.timers).toBe(0)
})
