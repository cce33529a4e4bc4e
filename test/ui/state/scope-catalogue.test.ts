import { describe, expect, test } from 'vitest'
import { ManagementError, type ScopesAnswer } from '../../../adapters/client/index.ts'
import { ScopeCatalogue, scopesOf } from '../../../adapters/ui/state/scope-catalogue.ts'
import { fakeHost } from './fake-host.ts'

const label = { en: 'E' }
const answer: ScopesAnswer = {
  groups: [
    { id: 'a', label, scopes: ['a.read', 'a.write'].map((scope) => ({ scope, label })) },
    { id: 'b', label, scopes: [{ scope: 'b.read', label: { en: 'B', ar: 'ب' } }] },
  ],
}

function openCatalogue(listScopes: (signal?: AbortSignal) => Promise<ScopesAnswer>) {
  let asked = 0
  const { host } = fakeHost({
    listScopes: ({ signal } = {}) => {
      asked += 1
      return listScopes(signal)
    },
  })
  return { catalogue: new ScopeCatalogue(host), host, asked: () => asked }
}

describe('the scopes on offer', () => {
  test('are asked for once', async () => {
    const { catalogue, host, asked } = openCatalogue(async () => answer)
    expect([catalogue.groups, catalogue.failed, catalogue.all]).toEqual([null, false, []])
    expect(catalogue.labelOf('a.read')).toBeUndefined()
    await Promise.all([catalogue.load(null), catalogue.load(null)])
    await catalogue.load(null)
    expect(asked()).toBe(1)
    expect(host.updates).toBe(1)
    expect(catalogue.groups).toBe(answer.groups)
    expect(catalogue.all).toEqual(['a.read', 'a.write', 'b.read'])
    expect(catalogue.readOnly).toEqual(['a.read', 'b.read'])
    expect(catalogue.labelOf('b.read')).toEqual({ en: 'B', ar: 'ب' })
    expect(catalogue.labelOf('c')).toBeUndefined()
    expect(answer.groups.map(scopesOf)).toEqual([['a.read', 'a.write'], ['b.read']])
  })

  test('stay while the server is asked again, unless the page gives its own', async () => {
    const { catalogue, asked } = openCatalogue(async () => ({ groups: [...answer.groups] }))
    await catalogue.load(null)
    const before = catalogue.groups
    const again = catalogue.reload()
    expect(catalogue.groups).toBe(before)
    await again
    expect([asked(), catalogue.groups === before]).toEqual([2, false])
    await catalogue.load({ groups: [] })
    await catalogue.reload()
    expect(asked()).toBe(2)
  })

  test('that the page gives are not asked for', async () => {
    const { catalogue, asked } = openCatalogue(async () => answer)
    await catalogue.load({ groups: [] })
    expect([catalogue.all, asked()]).toEqual([[], 0])
  })

  test('are forgotten with the place they came from', async () => {
    const late: ((answer: ScopesAnswer) => void)[] = []
    const { catalogue, asked } = openCatalogue(() => new Promise((done) => late.push(done)))
    const loading = catalogue.load(null)
    catalogue.reset()
    late[0]?.(answer)
    await loading
    expect([catalogue.groups, catalogue.failed]).toEqual([null, false])
    void catalogue.load(null)
    expect(asked()).toBe(2)
  })

  test('are asked for the workspace that is shown', async () => {
    const { host, log } = fakeHost({
      listScopes: async ({ workspaceId } = {}) => {
        log.push(workspaceId)
        throw new ManagementError('workspace_changed')
      },
    })
    const catalogue = new ScopeCatalogue(host)
    await catalogue.load(null)
    host.source.workspaceId = 'ws_1'
    await catalogue.load(null)
    expect(log).toEqual([undefined, 'ws_1', ['another workspace', undefined]])
  })

  test('are asked for again after a failure', async () => {
    let down = true
    const { catalogue } = openCatalogue(async () => {
      if (down) throw new Error('down')
      return answer
    })
    await catalogue.load(null)
    expect([catalogue.failed, catalogue.groups]).toEqual([true, null])
    down = false
    const again = catalogue.load(null)
    expect(catalogue.failed).toBe(false)
    await again
    expect(catalogue.all).toHaveLength(3)
  })

  test('that nobody waits for any more are no failure', async () => {
    const { catalogue } = openCatalogue(
      (signal) =>
        new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason))),
    )
    const loading = catalogue.load(null)
    catalogue.stop()
    await loading
    expect([catalogue.failed, catalogue.groups]).toEqual([false, null])
  })

  test('asked for anew after a stop, the old question ends nothing', async () => {
    const release: ((answer: ScopesAnswer) => void)[] = []
    const { catalogue, asked } = openCatalogue(
      () => new Promise((resolve) => release.push(resolve)),
    )
    // Where nobody has asked there is nothing to stop.
    catalogue.stop()
    const first = catalogue.load(null)
    catalogue.stop()
    catalogue.load(null)
    release[0]?.({ groups: [] })
    await first
    catalogue.groups = null
    await catalogue.load(null)
    expect(asked()).toBe(2)
  })
})
