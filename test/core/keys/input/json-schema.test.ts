import { expect, test } from 'vitest'
import { z } from 'zod'
import { memoryStorage } from '../../../../adapters/storage/memory.ts'
import { keyFieldsSchema } from '../../../../src/http/index.ts'
import { createApiKeys, defaultCatalogue, plans } from '../../../../src/index.ts'

const keys = createApiKeys({ storage: memoryStorage(), entitlements: () => plans.business })
const schema = keyFieldsSchema(defaultCatalogue)
const valid = { name: 'CRM', environment: 'live', scopes: ['contacts.read'] }

function isAccepted(fields: unknown): boolean {
  try {
    keys.checkFields(fields)
    return true
  } catch {
    return false
  }
}

test.each<[string, boolean, unknown]>([
  ['fields as they should be', true, valid],
  ['the longest name', true, { ...valid, name: 'a'.repeat(120) }],
  ['a longer name', false, { ...valid, name: 'a'.repeat(121) }],
  ['an empty name', false, { ...valid, name: '' }],
  ['a name that is no text', false, { ...valid, name: 7 }],
  ['the other environment', true, { ...valid, environment: 'test' }],
  ['an unknown environment', false, { ...valid, environment: 'staging' }],
  ['every scope', true, { ...valid, scopes: defaultCatalogue.scopes }],
  ['no scope', false, { ...valid, scopes: [] }],
  ['an unknown scope', false, { ...valid, scopes: ['contacts.raed'] }],
  ['a field too many', false, { ...valid, colour: 'red' }],
  ['a field too few', false, { name: 'CRM', scopes: ['contacts.read'] }],
  ['no object', false, []],
])('%s: the schema and createKey agree (%s)', (_, accepted, fields) => {
  expect(z.fromJSONSchema({ ...schema }).safeParse(fields).success).toBe(accepted)
  expect(isAccepted(fields)).toBe(accepted)
})

test('it follows the catalogue', () => {
  expect(schema).toMatchObject({
    properties: {
      scopes: {
        items: { enum: defaultCatalogue.scopes },
        ...{ minItems: 1, maxItems: 24, uniqueItems: true },
      },
    },
  })
})
