import { keyInput } from '../../support/world.ts'
import { ADMIN } from './bulk-tasks.ts'
import { type ActAnswer, CEILING_ACTS } from './ceiling-tasks.ts'
import { openKeys } from './narrow-tasks.ts'
import { playScenario, type Report } from './scenario.ts'

/**
 * An administrator adds a scope to a key while three members, in processes of their own, rotate it, resume it
 * and add an id to it. No member ends up with a key that has the scope, which is beyond their ceiling.
 */
export function ceilingRace(modulePath: string, { rounds = 1_000 } = {}): Promise<Report> {
  const parts = { scenario: 'ceiling race', modulePath, workers: CEILING_ACTS.length }
  return playScenario(parts, async (stage) => {
    const keys = openKeys(stage.storage)
    const [host] = keys
    if (host === undefined) throw new Error('there are keys')
    const codes: Record<string, number> = {}
    for (let round = 0; round < rounds; round += 1) {
      const workspaceId = `ws_ceiling_${round % 100}`
      const { key } = await host.createKey(
        keyInput({ workspaceId, creator: ADMIN, resources: { project: ['p_1'] } }),
      )
      const place = { workspaceId, id: key.id }
      const answers: readonly ActAnswer[] = await Promise.all(
        CEILING_ACTS.map(
          async (act, at) => stage.workers[at]?.call('actOnKey', { ...place, act }) ?? {},
        ),
      )
      for (const [at, { scopes, code = 'done' }] of answers.entries()) {
        codes[code] = (codes[code] ?? 0) + 1
        if (at > 0 && scopes?.includes('orders.write')) {
          stage.fail(`round ${round}: ${CEILING_ACTS[at]} beyond the ceiling`)
        }
      }
    }
    await Promise.all(keys.map((each) => each.close()))
    return { rounds, ...codes }
  })
}
