import { describe, expect, test } from 'vitest'
import { Barrier, Sweep } from '../../../src/cache/barrier.ts'
import { ManualMachine } from '../../support/manual-machine.ts'
import { MemoryLog } from '../../support/memory-log.ts'

const DOWN = new Error('down')

async function open(leases: Readonly<Record<string, number>>) {
  const log = new MemoryLog()
  const machine = new ManualMachine()
  for (const [node, leaseMs] of Object.entries(leases)) await log.register({ node, leaseMs })
  log.rows.add({ kind: 'key', hash: 'a' })
  log.asked.length = 0
  const failed: unknown[] = []
  const parts = { log, machine, onFailedLook: (error: unknown) => failed.push(error) }
  const barrier = new Barrier(parts)
  const pass = (own: string | null = null) => {
    const state = { isPassed: false }
    void barrier.waitForAcknowledgements(own).then(() => {
      state.isPassed = true
    })
    return state
  }
  const acknowledge = (node: string, sequence = 1) => {
    const row = log.nodes.get(node)
    if (row !== undefined) row.acked = sequence
  }
  return { log, machine, failed, pass, acknowledge, sweep: new Sweep(parts) }
}

test('without nodes, or with this one alone, it is passed at once and nobody is woken', async () => {
  const { log, machine, pass } = await open({ own: 1_000 })
  const passed = pass('own')
  await machine.pass(0)
  expect(passed.isPassed).toBe(true)
  expect(log.asked).toEqual(['laggingNodes'])
})

test('it is passed as soon as all others have acknowledged', async () => {
  const { log, machine, pass, acknowledge } = await open({ own: 1_000, a: 1_000, b: 1_000 })
  const passed = pass('own')
  await machine.pass(1)
  expect(log.asked.slice(0, 2)).toEqual(['laggingNodes', 'wake'])
  acknowledge('a')
  await machine.pass(50)
  expect(passed.isPassed).toBe(false)
  acknowledge('b')
  await machine.pass(50)
  expect(passed.isPassed).toBe(true)
  expect(log.asked.filter((method) => method === 'wake')).toHaveLength(1)
  expect(log.asked).not.toContain('evict')
  expect(machine.timers).toBe(0)
})

test('changes that come before a look share it, and wait for the last of them', async () => {
  const { log, machine, pass, acknowledge } = await open({ a: 1_000 })
  const changes = [pass('own'), pass('own')]
  for (const hash of ['b', 'c']) log.rows.add({ kind: 'key', hash })
  changes.push(pass('own'))
  await machine.pass(0)
  expect(log.asked.filter((method) => method === 'laggingNodes')).toHaveLength(1)
  acknowledge('a', 2)
  await machine.pass(50)
  expect(changes.map(({ isPassed }) => isPassed)).toEqual([false, false, false])
  acknowledge('a', 3)
  await machine.pass(50)
  expect(changes.map(({ isPassed }) => isPassed)).toEqual([true, true, true])
})

test('changes that this process has applied and others wait apart', async () => {
  const { machine, pass, acknowledge } = await open({ own: 1_000, a: 1_000 })
  const [applied, other] = [pass('own'), pass(null)]
  acknowledge('a')
  await machine.pass(50)
  expect([applied.isPassed, other.isPassed]).toEqual([true, false])
  acknowledge('own')
  await machine.pass(50)
  expect(other.isPassed).toBe(true)
})

test('it looks again after 1, 2, 4, ... and at most 50 ms', async () => {
  const { log, machine, pass } = await open({ a: 1_000 })
  pass()
  const looks = () => log.asked.filter((method) => method === 'laggingNodes').length
  const seen: number[] = []
  for (const ms of [0, 1, 1, 1, 4, 8, 16, 32, 49, 1, 50]) {
    await machine.pass(ms)
    seen.push(looks())
  }
  expect(seen).toEqual([1, 2, 2, 3, 4, 5, 6, 7, 7, 8, 9])
})

test('nodes that do not answer are waited for until their leases are over on the slowest clock', async () => {
  const { log, machine, pass } = await open({ a: 1_000, b: 3_000 })
  const passed = pass()
  // 3,000 × 1.001 / 0.999 + 2
  await machine.pass(3_008)
  expect(passed.isPassed).toBe(false)
  await machine.pass(0.1)
  expect(passed.isPassed).toBe(true)
  expect(log.nodes.size).toBe(0)
  expect(log.asked.filter((method) => method === 'evict')).toHaveLength(1)
})

test('nodes that registered after the change are not waited for', async () => {
  const { log, machine, pass, acknowledge } = await open({ a: 1_000 })
  const passed = pass()
  await machine.pass(1)
  await log.register({ node: 'late', leaseMs: 30_000 })
  acknowledge('a')
  await machine.pass(50)
  expect(passed.isPassed).toBe(true)
})

test('a log that cannot be reached makes it wait for the longest lease that there can be', async () => {
  const { log, machine, pass } = await open({ a: 1_000 })
  log.outage = DOWN
  const passed = pass()
  await machine.pass(30_062)
  expect(passed.isPassed).toBe(false)
  await machine.pass(1)
  expect(passed.isPassed).toBe(true)
  expect(log.asked).not.toContain('evict')
})

test('while the log fails, it looks again once a second and reports that once', async () => {
  const { log, machine, failed, pass } = await open({ a: 1_000 })
  const looks = () => log.asked.splice(0).filter((method) => method === 'laggingNodes').length
  log.outage = DOWN
  pass()
  await machine.pass(1_023)
  expect(looks()).toBe(11)
  await machine.pass(10_000)
  expect(looks()).toBe(10)
  expect(failed).toEqual([DOWN])
  log.outage = null
  await machine.pass(1_000)
  looks()
  await machine.pass(100)
  expect(looks()).toBe(2)
})

test('a log that comes back tells how long to wait, from then on', async () => {
  const { log, machine, pass } = await open({ a: 1_000 })
  log.outage = DOWN
  const passed = pass()
  await machine.pass(500)
  log.outage = null
  await machine.pass(1_000)
  expect(passed.isPassed).toBe(false)
  await machine.pass(60)
  expect(passed.isPassed).toBe(true)
  expect(log.nodes.size).toBe(0)
})

test('a failed wake, read or eviction does not fail it', async () => {
  const { log, machine, pass } = await open({ a: 1_000 })
  const passed = pass()
  await machine.pass(0)
  log.outage = DOWN
  await machine.pass(1_100)
  expect(passed.isPassed).toBe(true)
  expect(log.nodes.size).toBe(1)
})

test('it works with a log that cannot wake anybody', async () => {
  const { log, machine } = await open({ a: 1_000 })
  const { laggingNodes, evict } = log
  const barrier = new Barrier({
    log: { laggingNodes: laggingNodes.bind(log), evict: evict.bind(log) },
    machine,
    onFailedLook: () => {},
  })
  const passed = barrier.waitForAcknowledgements(null)
  await machine.pass(1_100)
  await passed
  expect(log.asked).not.toContain('wake')
})

describe('a sweep', () => {
  test('nodes that do not renew are removed together, twice their longest lease later', async () => {
    const { log, machine, sweep } = await open({
      own: 1_000,
      dead: 1_000,
      other: 3_000,
      alive: 500,
    })
    await sweep.run(0, 'own')
    await machine.pass(5_000)
    await log.renew({ node: 'alive', renewal: 1, answered: 0, applied: 0 })
    await machine.pass(999)
    expect(log.nodes.size).toBe(4)
    await machine.pass(1)
    expect([...log.nodes.keys()]).toEqual(['own', 'alive'])
    expect(log.asked).toEqual(['laggingNodes', 'renew', 'evict'])
  })

  test('without other nodes there is nothing to wait for', async () => {
    const { log, machine, sweep } = await open({ own: 1_000 })
    await sweep.run(0, 'own')
    expect([log.asked, machine.timers]).toEqual([['laggingNodes'], 0])
  })

  test('neither a lost look nor a lost eviction fails it', async () => {
    const { log, machine, failed, sweep } = await open({ dead: 1_000 })
    log.outage = new Error('down')
    await sweep.run(0, null)
    expect([failed, machine.timers]).toEqual([[log.outage], 0])
    log.outage = null
    await sweep.run(0, null)
    log.outage = new Error('down')
    await machine.pass(2_000)
    expect([log.asked, log.nodes.size]).toEqual([['laggingNodes', 'laggingNodes', 'evict'], 1])
  })

  test('a second sweep takes the place of the first', async () => {
    const { log, machine, sweep } = await open({ dead: 1_000 })
    await sweep.run(0, null)
    await sweep.run(0, null)
    expect(machine.timers).toBe(1)
    await machine.pass(2_000)
    expect(log.asked).toEqual(['laggingNodes', 'laggingNodes', 'evict'])
  })

  test('nothing is left to run after a stop, also in the middle of a look', async () => {
    const { machine, sweep } = await open({ dead: 1_000 })
    await sweep.run(0, null)
    sweep.stop()
    expect(machine.timers).toBe(0)
    const looking = sweep.run(0, null)
    sweep.stop()
    await looking
    expect(machine.timers).toBe(0)
  })
})
