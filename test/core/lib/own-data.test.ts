import { expect, test } from 'vitest'
import { ownOptions, propertyOf } from '../../../src/lib/own-data.ts'
import { polluted } from '../../support/http/polluted.ts'

test('options have nothing inherited', () => {
  const options = ownOptions(Object.assign(Object.create({ polluted: true }), { own: 1 }))
  expect(Object.getPrototypeOf(options)).toBeNull()
  expect(options).toEqual({ own: 1 })
})

test('a property comes from the object or its classes', () => {
  class Session {
    readonly own = 'own'

    get inherited(): string {
      return `${this.own} through a getter`
    }
  }
  const login = new (class extends Session {})()
  expect(propertyOf(login, 'own')).toBe('own')
  expect(propertyOf(login, 'inherited')).toBe('own through a getter')
})

test('nothing is read from a polluted prototype', async () => {
  const session: { readonly user?: string } = {}
  await polluted({ user: 'anyone' }, async () => {
    expect(session.user).toBe('anyone')
    expect(propertyOf(session, 'user')).toBe(undefined)
    expect(propertyOf(Object.assign(Object.create(null), { user: 'u_1' }), 'user')).toBe('u_1')
  })
})
