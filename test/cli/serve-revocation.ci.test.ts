import { expect, test } from 'vitest'
import { postgresStorage } from '../../adapters/storage/postgres.ts'
import { createApiKeys, plans } from '../../src/index.ts'
import { miftah } from '../support/command-line.ts'
import { issueKey } from '../support/http/keys.ts'
import { databaseForFile } from '../support/postgres/own-database.ts'
import { runs } from '../support/runs.ts'
import { configFile, forward, revoke, type Served, startServe } from '../support/serve-process.ts'

const postgres = databaseForFile()

/** How many keys are revoked while one process is stopped. */
const STEP = 100

const statusesOf = (nodes: readonly Served[], secret: string) =>
  Promise.all(nodes.map(async ({ own }) => (await forward(own, '/any', secret)).status))

// npm run reliability:serve: 1,000 rounds.
test(
  'with one of three processes stopped, no process accepts a key whose revocation has resolved',
  async () => {
    await miftah(['migrate', '-d', postgres.url])
    const keys = createApiKeys({
      storage: postgresStorage(postgres.pool),
      entitlements: () => plans.enterprise,
    })
    const create = async () => (await issueKey({ keys })).secret
    const config = await configFile()
    const nodes = [
      await startServe(postgres.url, config),
      await startServe(postgres.url, config),
      await startServe(postgres.url, config),
    ]
    const late: string[] = []
    let rounds = 0
    for (let step = 0; step < runs(1); step += 1) {
      const stopped = nodes[step % nodes.length]
      if (stopped === undefined) throw new Error('no process')
      const awake = nodes.filter((node) => node !== stopped)
      const secrets = await Promise.all(Array.from({ length: STEP }, create))
      for (const secret of secrets) expect(await statusesOf(nodes, secret)).toEqual([200, 200, 200])
      stopped.child.kill('SIGSTOP')
      for (const [at, secret] of secrets.entries()) {
        const by = awake[at % awake.length]
        let status = 503
        // While the lease of the stopped process runs, a call may take too long and be repeated.
        while (status === 503) status = (await revoke(by?.ofHolders ?? '', secret)).status
        expect(status).toBe(200)
        for (const found of await statusesOf(awake, secret)) if (found !== 401) late.push('awake')
        rounds += 1
      }
      stopped.child.kill('SIGCONT')
      const woken = secrets.map(
        async (secret) => (await forward(stopped.own, '/any', secret)).status,
      )
      // It may not know yet whether it may answer, and then says so.
      for (const found of await Promise.all(woken))
        if (found !== 401 && found !== 503) late.push('woken')
      await expect.poll(async () => (await forward(stopped.own, '/any')).status).toBe(401)
    }
    expect({ rounds, late }).toEqual({ rounds: STEP * runs(1), late: [] })
    for (const node of nodes) expect(await node.stop()).toBe(0)
  },
  60_000 + runs(1) * 240_000,
)
