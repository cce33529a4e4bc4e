import { expect, test, vi } from 'vitest'
import { ManagementError } from '../../../adapters/client/index.ts'
import { CreateForm } from '../../../adapters/ui/lazy/create-form.ts'
import { EditForm } from '../../../adapters/ui/lazy/edit-form.ts'
import { Resources } from '../../../adapters/ui/lazy/resources.ts'
import { Reveals } from '../../../adapters/ui/lazy/reveals.ts'
import { KeyList } from '../../../adapters/ui/state/key-list.ts'
import { keyOf } from '../../support/settings-tab/keys.ts'
import { fakeHost } from './fake-host.ts'

/** Both forms before a catalogue of these scopes, and what they send. */
function openForms(all: readonly string[] | null) {
  const createKey = vi.fn((_body: unknown) => new Promise<never>(() => {}))
  const updateKey = vi.fn((..._asked: unknown[]) => new Promise<never>(() => {}))
  const { host, log } = fakeHost({ createKey, updateKey })
  Object.assign(host.catalogue, { groups: all, all: all ?? [] })
  const resources = new Resources(host)
  Object.assign(host, { list: new KeyList(host), reveals: new Reveals(host) })
  const creating = new CreateForm(host, resources)
  return { creating, editing: new EditForm(host, resources), createKey, updateKey, log }
}

const draft = { name: 'N', environment: 'live', scopes: new Set(['b', 'gone', 'a']) } as const

test('a scope of another workspace is neither counted nor sent', () => {
  const { creating, createKey } = openForms(['a', 'b'])
  creating.edit(draft)
  expect([...creating.scopes]).toEqual(['a', 'b'])
  void creating.submit()
  expect(createKey.mock.calls[0]?.[0]).toMatchObject({ scopes: ['a', 'b'] })
})

test('a draft with none but such scopes has no scopes', () => {
  const { creating, createKey } = openForms(['c'])
  creating.edit(draft)
  void creating.submit()
  expect(creating.errors).toEqual({ scopes: 'v.scopes.required' })
  expect(createKey).not.toHaveBeenCalled()
})

test('before a catalogue is there nobody knows which scopes are gone', () => {
  const { creating } = openForms(null)
  creating.edit(draft)
  expect([...creating.scopes]).toEqual(['b', 'gone', 'a'])
})

test('an edit keeps what the key may do beyond the catalogue', () => {
  const { editing, updateKey } = openForms(['a', 'b'])
  editing.show(keyOf({ id: 'k', scopes: ['a', 'hidden'] }))
  expect([editing.others, editing.offered]).toEqual([['hidden'], ['a', 'b', 'hidden']])
  editing.edit({ scopes: new Set([...editing.scopes, 'b']) })
  void editing.submit()
  expect(updateKey.mock.calls[0]?.[2]).toEqual({ scopes: ['a', 'b', 'hidden'] })
})

test('a scope that the server does not know has words of its own, and the catalogue is read again', async () => {
  const { creating, createKey, log } = openForms(['a', 'b'])
  const issues = [{ path: ['scopes', 1], code: 'unknown_scope', message: '' }]
  createKey.mockRejectedValueOnce(new ManagementError('invalid_input', { issues }))
  creating.edit(draft)
  await creating.submit()
  expect(creating.errors).toEqual({ scopes: 'v.scopes.unknown' })
  expect(log).toContain('scopes again')
})
