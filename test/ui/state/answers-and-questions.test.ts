import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  type IssuedKeyAnswer,
  type ManagementClient,
  ManagementError,
  type ManagementErrorCode,
  type WireKey,
} from '../../../adapters/client/index.ts'
import { CreateForm } from '../../../adapters/ui/lazy/create-form.ts'
import { Resources } from '../../../adapters/ui/lazy/resources.ts'
import { Reveals } from '../../../adapters/ui/lazy/reveals.ts'
import { Confirmation } from '../../../adapters/ui/state/confirmation.ts'
import { KeyList } from '../../../adapters/ui/state/key-list.ts'
import { KeySource } from '../../../adapters/ui/state/key-source.ts'
import { keyOf, listOf } from '../../support/settings-tab/keys.ts'
import { fakeHost } from './fake-host.ts'

const first = keyOf({ id: 'k1', name: 'First' })
const second = keyOf({ id: 'k2', name: 'Second' })
const revoked = (key: WireKey): WireKey => ({
  ...key,
  status: 'revoked',
  revokedAt: '2026-11-21T13:05:00Z',
})
const issued = (id: string): IssuedKeyAnswer => ({
  key: keyOf({ id, name: `Name of ${id}` }),
  secret: `secret of ${id}`,
})

interface Call {
  readonly what: string
  readonly workspaceId: string | undefined
  readonly answer: (value: unknown) => void
  readonly fail: (code: ManagementErrorCode) => void
}

// Of a page, these pieces of state touch no more than this.
beforeEach(() => {
  vi.stubGlobal('addEventListener', () => {})
  vi.stubGlobal('removeEventListener', () => {})
  vi.stubGlobal('CSS', { escape: String })
})
afterEach(() => vi.unstubAllGlobals())

/** The state of a tab whose list is loaded, and every change that it has asked for. */
async function openState() {
  const calls: Call[] = []
  const server = { keys: [first, second] as readonly WireKey[] }
  const ask = (what: string, workspaceId?: string) =>
    new Promise<never>((resolve, reject) => {
      const fail = (code: ManagementErrorCode) => reject(new ManagementError(code))
      calls.push({ what, workspaceId, answer: resolve as Call['answer'], fail })
    })
  const management: Partial<ManagementClient> = {
    listKeys: async () => listOf(server.keys),
    createKey: ({ name }, options) => ask(`create ${name}`, options?.workspaceId),
    rotateKey: (id, options) => ask(`rotate ${id}`, options?.workspaceId),
    revokeKey: (id, options) => ask(`revoke ${id}`, options?.workspaceId),
  }
  const { host, log } = fakeHost(management)
  const list = new KeyList(host)
  const reveals = new Reveals(host)
  Object.assign(host, { list, reveals })
  const confirmation = new Confirmation(host)
  const form = new CreateForm(host, new Resources(host))
  await list.load()
  log.splice(0)
  const notices = () => log.filter((one) => Array.isArray(one) && one[0] === 'notice' && one[1])
  return { host, log, notices, list, reveals, confirmation, form, calls, server }
}

type State = Awaited<ReturnType<typeof openState>>

const settled = () => new Promise((resolve) => setImmediate(resolve))

/** A rotation of the first key that is under way while the second one is asked about. */
async function rotateThenAsk({ confirmation, calls }: State): Promise<Call> {
  confirmation.ask('rotate', first)
  void confirmation.confirm()
  confirmation.close()
  confirmation.ask('revoke', second)
  const [call] = calls
  if (call === undefined) throw new Error('nothing was asked')
  return call
}

describe('an answer to a question that is closed', () => {
  test('does not fail the next question, and says what it is about', async () => {
    const state = await openState()
    const { confirmation, notices } = state
    const call = await rotateThenAsk(state)
    call.fail('forbidden')
    await settled()
    expect(confirmation).toMatchObject({ open: true, key: second, failure: null, busy: false })
    expect(notices()).toEqual([
      ['notice', { id: 'e.forbidden', leads: [{ id: 'late.rotate', values: { name: 'First' } }] }],
    ])
  })

  test('does not close the next question, and its secret is shown', async () => {
    const state = await openState()
    const { confirmation, reveals, list, log } = state
    const call = await rotateThenAsk(state)
    call.answer({ ...issued('k3'), replaced: revoked(first) })
    await settled()
    expect(confirmation).toMatchObject({ open: true, key: second, action: 'revoke', failure: null })
    expect(reveals.items.map(({ key }) => key.id)).toEqual(['k3'])
    expect(list.keys.map(({ id }) => id)).toContain('k1')
    expect(log).toContainEqual(['api-key-rotated', expect.objectContaining({ id: 'k3' })])
  })

  test('does not set the next one free while it is being carried out', async () => {
    const state = await openState()
    const { confirmation, calls } = state
    const call = await rotateThenAsk(state)
    void confirmation.confirm()
    call.fail('rate_limited')
    await settled()
    expect(calls.map(({ what }) => what)).toEqual(['rotate k1', 'revoke k2'])
    expect(confirmation).toMatchObject({ open: true, busy: true, failure: null })
  })

  test('that the key is revoked leaves the next question open', async () => {
    const state = await openState()
    const { confirmation, notices } = state
    const call = await rotateThenAsk(state)
    state.server.keys = [revoked(first), second]
    call.fail('key_revoked')
    await settled()
    expect(confirmation).toMatchObject({ open: true, key: second })
    expect(notices()).toEqual([
      [
        'notice',
        {
          id: 'e.gone',
          values: { name: 'First' },
          leads: [{ id: 'late.rotate', values: { name: 'First' } }],
        },
      ],
    ])
  })
})

describe('a key that the server does not find', () => {
  test.each([
    ['still in the list', [first, second], { id: 'why.missing', leads: [{ id: 'none.revoke' }] }],
    ['not in the list', [second], { id: 'why.missing', leads: [{ id: 'none.revoke' }] }],
    ['revoked by the list', [revoked(first), second], { id: 'e.gone', values: { name: 'First' } }],
  ])('and that is %s', async (_, keys, notice) => {
    const state = await openState()
    const { confirmation, calls, notices } = state
    confirmation.ask('revoke', first)
    void confirmation.confirm()
    state.server.keys = keys
    calls[0]?.fail('key_not_found')
    await settled()
    expect(confirmation.open).toBe(false)
    expect(notices()).toEqual([['notice', notice]])
  })

  test('because the address answers 404 is no key at all: the dialog says that nothing was done', async () => {
    const { confirmation, calls, notices } = await openState()
    confirmation.ask('revoke', first)
    void confirmation.confirm()
    calls[0]?.fail('not_found')
    await settled()
    expect(confirmation).toMatchObject({
      open: true,
      busy: false,
      failure: { id: 'why.address', leads: [{ id: 'none.revoke' }] },
    })
    expect(notices()).toEqual([])
  })
})

describe('a change asked of a place that the page has left', () => {
  const draft = { name: 'New', environment: 'live', scopes: new Set(['a']) } as const

  test('shows its secret and touches neither list nor form', async () => {
    const { host, form, list, reveals, calls, log } = await openState()
    form.show()
    form.edit(draft)
    void form.submit()
    host.source = new KeySource('/elsewhere')
    form.leave()
    list.reset()
    form.show()
    form.edit({ name: 'Next' })
    calls[0]?.answer(issued('k3'))
    await settled()
    expect(reveals.items.map(({ key, source }) => [key.id, source.matches(host.source)])).toEqual([
      ['k3', false],
    ])
    expect([list.phase, list.keys]).toEqual(['loading', []])
    expect(form).toMatchObject({ open: true, busy: false, draft: { name: 'Next' } })
    expect(log).toContainEqual(['api-key-created', expect.objectContaining({ id: 'k3' })])
  })

  test.each(['unauthenticated', 'workspace_changed', 'active_key_limit_reached'] as const)(
    'and that fails with %s ends nothing of the new place',
    async (code) => {
      const { host, form, confirmation, list, calls, log } = await openState()
      form.show()
      form.edit(draft)
      void form.submit()
      confirmation.ask('rotate', first)
      void confirmation.confirm()
      host.source = new KeySource('/elsewhere')
      form.leave()
      confirmation.close()
      list.reset()
      for (const { fail } of calls) fail(code)
      await settled()
      expect(log).not.toContain('expired')
      expect(log).not.toContainEqual(['another workspace', expect.anything()])
      expect([list.phase, form.failure, confirmation.failure]).toEqual(['loading', null, null])
    },
  )

  test('names the workspace that was shown, on each kind of change', async () => {
    const { form, confirmation, calls } = await openState()
    form.edit(draft)
    void form.submit()
    confirmation.ask('rotate', first)
    void confirmation.confirm()
    confirmation.close()
    confirmation.ask('revoke', first)
    void confirmation.confirm()
    expect(calls.map(({ what, workspaceId }) => [what, workspaceId])).toEqual([
      ['create New', 'ws_1'],
      ['rotate k1', 'ws_1'],
      ['revoke k1', 'ws_1'],
    ])
  })
})

describe('a session that has moved to another workspace', () => {
  test.each(['create', 'rotate', 'revoke'] as const)('ends a %s without it', async (action) => {
    const { form, confirmation, calls, log } = await openState()
    if (action === 'create') {
      form.edit({ name: 'New', environment: 'live', scopes: new Set(['a']) })
      void form.submit()
    } else {
      confirmation.ask(action, first)
      void confirmation.confirm()
    }
    calls[0]?.fail('workspace_changed')
    await settled()
    expect(log).toContainEqual(['another workspace', [{ id: `none.${action}` }]])
    expect(form.busy).toBe(false)
  })
})

describe('a form that goes on while an answer is late', () => {
  test('keeps what is typed by then, and shows the key all the same', async () => {
    const { form, reveals, calls, notices } = await openState()
    form.show()
    form.edit({ name: 'Slow', environment: 'live', scopes: new Set(['a']) })
    void form.submit()
    void form.submit()
    expect(calls).toHaveLength(1)
    form.edit({ name: 'Next' })
    calls[0]?.answer(issued('k3'))
    await settled()
    expect(reveals.items).toHaveLength(1)
    expect(form).toMatchObject({ open: true, busy: false, draft: { name: 'Next' } })
    expect(notices()).toEqual([])
  })

  test('takes the false alarm back when the answer comes after all', async () => {
    const { form, reveals, calls } = await openState()
    vi.useFakeTimers()
    form.show()
    form.edit({ name: 'Slow', environment: 'live', scopes: new Set(['a']) })
    void form.submit()
    vi.advanceTimersByTime(31_000)
    vi.useRealTimers()
    expect(form.failure).toMatchObject({ id: 'e.unknown.create' })
    form.edit({ name: 'Slower' })
    calls[0]?.answer(issued('k3'))
    await settled()
    expect(reveals.items).toHaveLength(1)
    expect(form).toMatchObject({ open: false, failure: null, draft: { name: 'Slower' } })
  })

  test('says a late failure above the list, with the name that was sent', async () => {
    const { form, calls, notices } = await openState()
    form.show()
    form.edit({ name: 'Slow', environment: 'live', scopes: new Set(['a']) })
    void form.submit()
    form.edit({ name: 'Next' })
    calls[0]?.fail('outcome_unknown')
    await settled()
    expect(form).toMatchObject({ open: true, failure: null, draft: { name: 'Next' } })
    const about = { id: 'late.create', values: { name: 'Slow' } }
    expect(notices()).toMatchObject([
      ['notice', { id: 'e.unknown.create', leads: [about, { id: 'why.dropped' }] }],
    ])
  })
})

test('places match by their address and, as far as is known, by their workspace', () => {
  const source = (place: string, workspaceId: string | null = null) =>
    Object.assign(new KeySource(place), { workspaceId })
  expect(source('/a').matches(source('/a', 'ws_1'))).toBe(true)
  expect(source('/a', 'ws_1').matches(source('/a', 'ws_1'))).toBe(true)
  expect(source('/a', 'ws_1').matches(source('/a', 'ws_2'))).toBe(false)
  expect(source('/a', 'ws_1').matches(source('/b', 'ws_1'))).toBe(false)
  expect(source('/a').tie).toEqual({})
  expect(source('/a', 'ws_1').tie).toEqual({ workspaceId: 'ws_1' })
})
