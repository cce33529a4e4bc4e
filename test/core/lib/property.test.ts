import { describe, expect, test } from 'vitest'
import { propertyOf } from '../../../src/lib/own-data.ts'
import { polluted } from '../../support/http/polluted.ts'

class Session {
  readonly own: string = 'own'

  get inherited(): string {
    return `${this.own} through a getter`
  }
}

describe('propertyOf', () => {
  test('reads what the object and its classes have', () => {
    class Login extends Session {}
    expect(propertyOf(new Login(), 'own')).toBe('own')
    expect(propertyOf(new Login(), 'inherited')).toBe('own through a getter')
  })

  test('reads nothing from a polluted prototype', async () => {
    const session: { readonly user?: string } = {}
    await polluted({ user: 'anyone' }, async () => {
      expect(session.user).toBe('anyone')
      expect(propertyOf(session, 'user')).toBe(undefined)
      expect(propertyOf(Object.assign(Object.create(null), { user: 'u_1' }), 'user')).toBe('u_1')
    })
  })
})
