import { describe, expect, test } from 'vitest'
import { checkMembers, nearestName, unknownName } from '../../../src/lib/known-names.ts'

const KNOWN = ['allowedOperations', 'cleartext', 'grantable', 'listen', 'status', 'visible']

describe('the name that is near', () => {
  test.each([
    ['grantables', 'grantable'],
    ['visble', 'visible'],
    ['visibel', 'visible'],
    ['clearText', 'cleartext'],
    ['listn', 'listen'],
    ['lisetn', 'listen'],
    ['statsu', 'status'],
    ['Operations', 'allowedOperations'],
    ['listenForRevocations', 'listen'],
    ['cleortexd', 'cleartext'],
  ])('%s: %s', (name, meant) => {
    expect(nearestName(name, KNOWN)).toBe(meant)
  })

  test.each(['', 'a', 'lis', 'lost', 'email', 'visaged', 'cliortexd', '__proto__'])(
    '%j: none',
    (name) => {
      expect(nearestName(name, KNOWN)).toBeUndefined()
    },
  )

  test('is the one that is nearest, in whatever order', () => {
    expect(nearestName('revokeKeys', ['revokeKey', 'revokeKeys'])).toBe('revokeKeys')
    expect(nearestName('usage', ['usageHistory', 'usages'])).toBe('usages')
  })

  test('takes no time for a text that no program would have as a name', () => {
    expect(nearestName('a'.repeat(1_000_000), KNOWN)).toBeUndefined()
  })
})

describe('the sentence', () => {
  test('names what is known where nothing is near', () => {
    expect(unknownName('There is no', 'x', ['a', 'b'])).toBe('There is no "x"; known names: a, b.')
  })

  test.each([`svc_live_${'a'.repeat(46)}`, 'a b', 'a\nb', 'مفتاح', ''])(
    'does not repeat %j',
    (name) => {
      expect(unknownName('There is no', name, ['a'])).toBe(
        'There is no of this name; known names: a.',
      )
    },
  )
})

describe('the members of an answer', () => {
  test('may come from a class, and be left out', () => {
    class Session {
      get visible() {
        return 'own'
      }
    }
    expect(() => checkMembers(new Session(), KNOWN, 'It')).not.toThrow()
    expect(() => checkMembers({}, KNOWN, 'It')).not.toThrow()
  })

  test.each([
    [{ visble: 'own' }, 'It has no member "visble"; did you mean "visible"?'],
    [{ visible: undefined }, 'It has "visible" as undefined: give it a value or leave it out.'],
    [
      Object.create({ grantable: undefined }),
      'It has "grantable" as undefined: give it a value or leave it out.',
    ],
  ])('may not be %j', (answer, message) => {
    expect(() => checkMembers(answer, KNOWN, 'It')).toThrow(new TypeError(message))
  })
})
