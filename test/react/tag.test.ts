import { expect, test } from 'vitest'
import { attributesOf } from '../../adapters/react/tag.ts'

// React 18 writes every boolean on a custom element as text, and `hidden="false"` hides it.
test('an attribute that is off is not handed to React, which might write the word', () => {
  expect(attributesOf({ hidden: false, inert: false, id: 'keys' })).toEqual({
    id: 'keys',
    class: undefined,
    'defer-hydration': '',
  })
})

test('one that is on is, and so is a false that must be written', () => {
  const props = { hidden: true, 'aria-hidden': false, draggable: false, 'data-on': false }
  expect(attributesOf(props)).toMatchObject(props)
})
