import { expect, test } from 'vitest'
import {
  bodyOf,
  changesOf,
  type Draft,
  draftOf,
  errorsFrom,
  errorsOf,
} from '../../../adapters/ui/lazy/draft.ts'
import { EditForm } from '../../../adapters/ui/lazy/edit-form.ts'
import { Resources } from '../../../adapters/ui/lazy/resources.ts'
import { KeyList } from '../../../adapters/ui/state/key-list.ts'
import { isRestricted } from '../../../adapters/ui/state/listed-key.ts'
import type { Grantable } from '../../../src/index.ts'
import { keyOf, listOf } from '../../support/settings-tab/keys.ts'
import { ceiling } from '../../support/settings-tab/restricted.ts'
import { fakeHost } from './fake-host.ts'

const dates = { dayIn: () => '2026-12-01', endOf: (day: string) => Date.parse(day) }
const rules = { dates, now: 0, latest: null }
const key = keyOf({
  id: 'k',
  resources: { project: ['p_1', 'p_2'], store: 'all' },
  networks: ['198.51.100.0/24'],
  note: 'N',
})
const draft: Draft = { ...draftOf(key), name: 'N', environment: 'live' }

async function formOf(grantable: Grantable | null, one = key) {
  const { host } = fakeHost({ listKeys: async () => listOf([one], { grantable }) })
  const list = new KeyList(host)
  await list.load()
  Object.assign(host, { list })
  const form = new EditForm(host, new Resources(host))
  form.show(one)
  return form
}

test('a key that nobody has changed has no changes, in whatever order its ids are', () => {
  expect(changesOf(key, draftOf(key), rules)).toEqual({})
  const turned = {
    ...draftOf(key),
    resources: { project: ['p_2', ' p_1', ''], store: 'all' },
  } as const
  expect(changesOf(key, turned, rules)).toEqual({})
})

test('an empty list is a list and never all', () => {
  const none = { ...draft, resources: { project: [], store: [] } }
  expect(changesOf(key, none, rules).resources).toEqual({ project: [], store: [] })
  expect(bodyOf(none, rules)?.resources).toEqual({ project: [], store: [] })
  const emptied = keyOf({ id: 'e', resources: { project: [] } })
  expect(draftOf(emptied).resources).toEqual({ project: [] })
  expect(changesOf(emptied, { ...draftOf(emptied), resources: { project: 'all' } }, rules)).toEqual(
    {
      resources: { project: 'all' },
    },
  )
  expect([isRestricted(emptied), isRestricted(keyOf({ id: 'a' }))]).toEqual([true, false])
})

test('a note is removed by null, and what is wrong with each field has a sentence', () => {
  expect(changesOf(key, { ...draftOf(key), note: ' ' }, rules)).toEqual({ note: null })
  const wrong = { ...draft, note: 'a'.repeat(201), networks: ' \n' }
  expect(errorsOf(wrong, rules)).toEqual({ note: 'v.note', networks: 'v.networks.required' })
  const paths = ['note', 'resources', 'networks'].map((field) => ({
    path: [field, 0],
    code: 'x',
    message: '',
  }))
  expect(errorsFrom(paths)).toEqual({
    note: 'v.note',
    resources: 'v.resources',
    networks: 'v.networks',
  })
})

test('a key of routes that know neither has neither', () => {
  const { note: _, resources: __, networks: ___, ...rest } = key
  const old = rest as typeof key
  expect(draftOf(old)).toMatchObject({ note: '', resources: {}, networks: null })
  expect(changesOf(old, draftOf(old), rules)).toEqual({})
  expect(isRestricted(old)).toBe(false)
})

test('what the key has already stays open to it, beyond that only what may be given', async () => {
  const form = await formOf(ceiling)
  expect(form.mayHave('orders.write')).toBe(true)
  expect([form.mayHave('orders.read'), form.mayHave('contacts.write')]).toEqual([true, false])
  expect([form.mayReach('project', 'p_2'), form.mayReach('project', 'p_3')]).toEqual([true, false])
  expect([form.mayReach('project', null), form.mayReach('store', null)]).toEqual([false, true])
  expect(form.mayBeUsedAnywhere()).toBe(false)
})

test('a key beyond the ceiling cannot be widened at all, nor end later', async () => {
  const end = '2026-12-24T00:00:00.000Z'
  const form = await formOf(ceiling, { ...key, withinGrant: false, scopes: ['a'], expiresAt: end })
  expect([form.mayHave('a'), form.mayHave('contacts.read')]).toEqual([true, false])
  expect(form.rules.latest).toBe(Date.parse(end))
  expect(form.expiryChoices).not.toContain('never')
})

test('without a ceiling everything may be given', async () => {
  const form = await formOf(null)
  expect([form.mayHave('x'), form.mayReach('project', null), form.mayBeUsedAnywhere()]).toEqual([
    true,
    true,
    true,
  ])
})

test('names are read once, and a place forgets those of another', async () => {
  const asked: unknown[] = []
  const { host } = fakeHost({
    listResources: async (type, query) => {
      asked.push([type, query?.id])
      return { resources: [{ id: 'p_1', name: 'Website' }], nextCursor: null }
    },
  })
  Object.assign(host.catalogue, { types: [{ type: 'project', label: {}, isNamed: true }] })
  const resources = new Resources(host)
  await resources.name('project', ['p_1', 'p_9'])
  await resources.name('project', ['p_1', 'p_9'])
  await resources.name('store', ['s_1'])
  expect(asked).toEqual([['project', ['p_1', 'p_9']]])
  expect(['p_1', 'p_9'].map((id) => resources.nameOf('project', id))).toEqual(['Website', 'p_9'])
  Object.assign(host, { source: { ...host.source, tie: {} } })
  expect(resources.nameOf('project', 'p_1')).toBe('p_1')
})
