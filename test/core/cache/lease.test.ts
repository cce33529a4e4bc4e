import { expect, test, vi } from 'vitest'
import { Lease, type LeaseFault, type LeaseParts, thisMachine } from '../../../src/cache/lease.ts'
import { ManualMachine } from '../../support/manual-machine.ts'
import { MemoryLog } from '../../support/memory-log.ts'

const LEASE_MS = 3_000
/** With the machine's random number: 0.9 of a third. */
const RENEWED_MS = 900

function open(parts: Partial<LeaseParts> = {}) {
  const machine = new ManualMachine()
  const log = new MemoryLog()
  const told: unknown[] = []
  const faults: LeaseFault[] = []
  const failed: unknown[] = []
  let nodes = 0
  const lease = new Lease({
    log,
    machine,
    leaseMs: LEASE_MS,
    newNode: () => {
      nodes += 1
      return `node_${nodes}`
    },
    onChange: (change) => told.push(change),
    onFlush: () => told.push('flush'),
    onRenewal: () => {},
    onFault: (fault) => faults.push(fault),
    onFailedRenewal: (error) => failed.push(error),
    ...parts,
  })
  const take = () => told.splice(0)
  return { machine, log, lease, take, faults, failed }
}

/** A lease that has just been given. */
async function begun(parts: Partial<LeaseParts> = {}) {
  const world = open(parts)
  world.lease.start()
  await world.machine.pass(0)
  world.take()
  return world
}

const KEY = { kind: 'key', hash: 'h' } as const

test('there is no lease before the first renewal, which forgets everything', async () => {
  const { lease, machine, take, log } = open()
  expect(lease.isValid()).toBe(false)
  expect(lease.node).toBeNull()
  lease.start()
  lease.start()
  await machine.pass(0)
  expect(log.asked).toEqual(['register', 'renew', 'renew'])
  expect(log.hints).toBe(1)
  expect(lease.isValid()).toBe(true)
  expect(take()).toEqual(['flush'])
  expect(lease.node).toBe('node_1')
  expect(log.nodes.get('node_1')?.leaseMs).toBe(LEASE_MS)
})

test('it is renewed three times in its length, and changes come in order before it lasts longer', async () => {
  const { lease, machine, log, take } = await begun()
  log.rows.add(KEY)
  log.rows.add({ kind: 'plan', workspaceId: 'ws' })
  await machine.pass(RENEWED_MS - 1)
  expect(take()).toEqual([])
  await machine.pass(1)
  expect(take()).toEqual([
    { sequence: 1, ...KEY },
    { sequence: 2, kind: 'plan', workspaceId: 'ws' },
  ])
  // Acknowledged at once.
  expect(log.nodes.get('node_1')?.acked).toBe(2)
  await machine.pass(10 * LEASE_MS)
  expect(lease.isValid()).toBe(true)
  expect(take()).toEqual([])
  expect(machine.timers).toBe(1)
})

test('a hint renews at once, and once more when a renewal is under way', async () => {
  const { machine, log, lease } = await begun()
  log.asked.length = 0
  log.rows.add(KEY)
  await log.wake()
  await machine.pass(0)
  expect(log.asked).toEqual(['wake', 'renew', 'renew'])
  log.asked.length = 0
  lease.renewNow()
  lease.renewNow()
  lease.renewNow()
  await machine.pass(0)
  expect(log.asked).toEqual(['renew', 'renew'])
})

test('a call that needs the lease waits for the renewal under way', async () => {
  const { machine, log, lease } = await begun()
  log.asked.length = 0
  lease.renewNow()
  await lease.renewal()
  await machine.pass(0)
  expect(log.asked).toEqual(['renew'])
})

test('a change that cannot be applied is reported, and the renewal is tried again', async () => {
  const mistake = new TypeError('a mistake')
  let isBroken = true
  const onFlush = () => {
    if (isBroken) throw mistake
  }
  const { lease, machine, failed } = open({ onFlush })
  lease.start()
  await machine.pass(0)
  expect([lease.isValid(), failed]).toEqual([false, [mistake]])
  isBroken = false
  await machine.pass(RENEWED_MS)
  expect([lease.isValid(), failed]).toEqual([true, [mistake]])
})

test('a failed renewal is tried again, also the registration, as the same node', async () => {
  const { machine, log, lease } = open()
  log.outage = new Error('down')
  lease.start()
  await machine.pass(RENEWED_MS)
  expect(log.asked).toEqual(['register', 'register'])
  log.outage = null
  await machine.pass(RENEWED_MS)
  expect(lease.node).toBe('node_1')
  expect(lease.isValid()).toBe(true)
})

test('a renewal that was given up late is followed by the next one at once', async () => {
  const { machine, log } = await begun()
  log.renew = async () => {
    log.asked.push('renew')
    await machine.sleep(RENEWED_MS + 100)
    throw new Error('no answer')
  }
  log.asked.length = 0
  await machine.pass(RENEWED_MS)
  expect(log.asked).toEqual(['renew'])
  await machine.pass(RENEWED_MS + 99)
  expect(log.asked).toEqual(['renew'])
  await machine.pass(1)
  expect(log.asked).toEqual(['renew', 'renew'])
})

test('an evicted node goes on as a new one that has applied nothing', async () => {
  const { machine, log, lease, take, faults } = await begun()
  log.rows.add(KEY)
  log.nodes.clear()
  await machine.pass(RENEWED_MS)
  expect(faults).toEqual(['evicted'])
  expect(lease.node).toBe('node_2')
  expect(take()).toEqual(['flush'])
  expect(lease.isValid()).toBe(true)
  await machine.pass(RENEWED_MS)
  expect(faults).toEqual(['evicted'])
})

test('an evicted node has no lease until it is registered again', async () => {
  const { machine, log, lease } = await begun()
  log.nodes.clear()
  log.register = async () => {
    throw new Error('down')
  }
  await machine.pass(RENEWED_MS)
  expect(lease.isValid()).toBe(false)
})

test.each([
  ['no entries', { changes: null }],
  ['a gap', { changes: [{ sequence: 2, ...KEY }] }],
  ['another order', { changes: [2, 1].map((sequence) => ({ sequence, ...KEY })) }],
  ['too few', { changes: [{ sequence: 1, ...KEY }], head: 2 }],
])('everything is forgotten when the log answers %s', async (_name, spoilt) => {
  const { machine, log, take, lease, faults } = await begun()
  log.rows.add(KEY)
  log.rows.add(KEY)
  log.spoil = (renewal) => ({ ...renewal, ...spoilt }) as typeof renewal
  await machine.pass(RENEWED_MS)
  expect(take()[0]).toBe('flush')
  expect(faults).toEqual([])
  expect(lease.isValid()).toBe(true)
})

test.each([
  ['renewals', { isSameLog: false }],
  ['changes', { head: 0, changes: [] }],
])(
  'a database that has forgotten %s is reported, and everything is forgotten',
  async (_name, spoilt) => {
    const { machine, log, take, faults } = await begun()
    log.rows.add(KEY)
    await machine.pass(RENEWED_MS)
    take()
    log.spoil = (renewal) => {
      log.spoil = (same) => same
      return { ...renewal, ...spoilt } as typeof renewal
    }
    await machine.pass(RENEWED_MS)
    expect(faults).toEqual(['restored'])
    expect(take()[0]).toBe('flush')
  },
)

test('a jump is reported also when no request has seen it', async () => {
  const { machine, lease, faults } = await begun()
  await machine.pass(10)
  machine.wallNowMs += 5_000
  await machine.pass(RENEWED_MS)
  expect(faults).toEqual(['clock_jump'])
  expect(lease.isValid()).toBe(true)
})

test('the system clock ends the lease too, at its length and not before', async () => {
  const { machine, lease, faults } = await begun()
  machine.nowMs += LEASE_MS - 500
  machine.wallNowMs += LEASE_MS - 1
  expect(lease.isValid()).toBe(true)
  machine.wallNowMs += 1
  expect(lease.isValid()).toBe(false)
  expect(faults).toEqual([])
})

test.each([5_000, -LEASE_MS / 2])(
  'a lease that has run out is no jump of the clocks, nor prolonged by one of %i ms',
  async (byMs) => {
    const { machine, lease, faults, log } = await begun()
    log.outage = new Error('down')
    await machine.pass(LEASE_MS)
    machine.wallNowMs += byMs
    expect(lease.isValid()).toBe(false)
    expect(faults).toEqual([])
  },
)

test.each([
  [-1, []],
  [-1_000, []],
  [-1_001, ['clock_jump']],
  [5_000, ['clock_jump']],
])('a clock that is set by %i ms ends the lease and reports %j', async (byMs, reported) => {
  const { machine, lease, faults } = await begun()
  machine.wallNowMs += byMs
  expect(lease.isValid()).toBe(false)
  expect(lease.isValid()).toBe(false)
  expect(faults).toEqual(reported)
})

test.each([
  ['hints', {}],
  ['none', { listen: undefined }],
])('a node that stops has no lease, leaves, and renews no more: %s', async (_, hints) => {
  const log = Object.assign(new MemoryLog(), hints)
  const { machine, lease } = await begun({ log })
  expect(lease.isValid()).toBe(true)
  await lease.stop()
  expect(lease.isValid()).toBe(false)
  expect([log.nodes.size, log.hints, machine.timers]).toEqual([0, 0, 0])
  log.asked.length = 0
  lease.start()
  lease.renewNow()
  await machine.pass(10 * LEASE_MS)
  expect(log.asked).toEqual([])
})

test('a renewal that is under way when the node stops gives no lease', async () => {
  const { machine, log, lease, take } = open()
  await open({ log }).lease.stop()
  expect(log.asked).toEqual([])
  lease.start()
  const stopped = lease.stop()
  await machine.pass(10 * LEASE_MS)
  await stopped
  expect(log.asked).toEqual(['register', 'renew', 'leave'])
  expect(lease.isValid()).toBe(false)
  expect(take()).toEqual([])
  expect(machine.timers).toBe(0)
})

test('of a restored log a node acknowledges nothing, also when answers are lost until that has caught up', async () => {
  const { machine, log, take, faults, lease } = await begun()
  const before = structuredClone(log.nodes)
  const row = () => [...log.nodes.values()][0]
  log.rows.add(KEY)
  log.rows.add(KEY)
  await machine.pass(RENEWED_MS + 1)
  await machine.pass(RENEWED_MS)
  for (const [node, saved] of before) log.nodes.set(node, saved)
  log.rows.changes = []
  take()
  const renew = log.renew.bind(log)
  log.renew = async (request) => {
    await renew(request)
    throw new Error('the answer is lost')
  }
  // The changes of the restored log have the numbers of those that the node has applied.
  log.rows.add(KEY)
  log.rows.add(KEY)
  await machine.pass(5 * RENEWED_MS)
  expect(row()).toMatchObject({ renewal: 10, acked: 0 })
  log.renew = renew
  await machine.pass(RENEWED_MS)
  expect(faults).toEqual(['restored'])
  expect(take()).toEqual(['flush'])
  expect(row()?.acked).toBe(2)
  expect(lease.isValid()).toBe(true)
})

test('a timer runs its work, unless it is cancelled', async () => {
  vi.useFakeTimers()
  const done: string[] = []
  thisMachine.after(1, () => done.push('kept'))
  const cancel = thisMachine.after(1, () => done.push('cancelled'))
  cancel()
  vi.advanceTimersByTime(50)
  vi.useRealTimers()
  expect(done).toEqual(['kept'])
})

test('random numbers are from 0 to less than 1, and differ', () => {
  const numbers = Array.from({ length: 100 }, () => thisMachine.random())
  expect(numbers.every((number) => number >= 0 && number < 1)).toBe(true)
  expect(new Set(numbers).size).toBeGreaterThan(1)
})
