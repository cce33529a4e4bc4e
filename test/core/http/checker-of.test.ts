import { describe, expect, test } from 'vitest'
import { checkerOf } from '../../../src/http/index.ts'
import { defaultCatalogue } from '../../../src/index.ts'
import { keyInput, openWorld } from '../../support/world.ts'

describe('the fields of a new key, checked alone', () => {
  const { keys } = openWorld()

  test('gives back the fields in form', () => {
    const fields = {
      name: ' Cafe\u0301 ',
      environment: 'test',
      scopes: ['flows.read', 'contacts.read'],
    }
    expect(checkerOf(keys).fields(fields)).toEqual({
      name: 'Caf\u00e9',
      environment: 'test',
      scopes: ['contacts.read', 'flows.read'],
    })
  })

  test('knows no workspace and no creator', () => {
    expect(() => checkerOf(keys).fields(keyInput())).toThrow(/creator: is not a known field/)
  })

  test('takes every scope there is', () => {
    const fields = { name: 'x', environment: 'live', scopes: defaultCatalogue.scopes.toReversed() }
    expect(checkerOf(keys).fields(fields).scopes).toEqual(defaultCatalogue.scopes)
  })
})

describe('fields from outside', () => {
  const { keys } = openWorld()

  test('of an update are checked without updating', () => {
    expect(checkerOf(keys).changes({ name: ' ERP ' })).toEqual({ name: 'ERP' })
    expect(() => checkerOf(keys).changes({ environment: 'test' })).toThrow(/is not a known field/)
  })

  test('of a rotation are checked without rotating', () => {
    expect(checkerOf(keys).rotation({})).toEqual({ overlapSeconds: 0 })
    expect(() => checkerOf(keys).rotation({ id: 'key_x' })).toThrow(/is not a known field/)
  })
})

test('only keys of createApiKeys have checks', () => {
  expect(() => checkerOf({} as never)).toThrow('checkerOf needs keys that createApiKeys has made.')
})
