import { expect, test } from 'vitest'
import { z } from 'zod'
import { memoryStorage } from '../../../../adapters/storage/memory.ts'
import { bodySchemas } from '../../../../src/http/index.ts'
import { createApiKeys, defaultCatalogue, plans } from '../../../../src/index.ts'

const keys = createApiKeys({ storage: memoryStorage(), entitlements: () => plans.business })
const schemas = bodySchemas(defaultCatalogue)
const schema = schemas.create
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

test('metadata are described as far as the host names their entries', () => {
  const entry = { type: 'string', maxLength: 500 }
  const described = { type: 'object', properties: { team: entry }, additionalProperties: false }
  expect(schema['properties']).not.toHaveProperty('metadata')
  const named = bodySchemas(defaultCatalogue, { metadata: ['team'] }).create
  expect(named['properties']).toMatchObject({ metadata: described })
})

test('an update may leave every field out, and remove an entry', () => {
  const changes = bodySchemas(defaultCatalogue, { metadata: ['team'] }).update
  expect(changes['required']).toBeUndefined()
  expect(Object.keys(changes['properties'] ?? {}).sort()).toEqual([
    ...['expiresAt', 'metadata', 'name', 'networks', 'note', 'scopes'],
  ])
  const team = { type: ['string', 'null'], maxLength: 500 }
  expect(changes['properties']).toMatchObject({ metadata: { properties: { team } } })
  expect(schemas.update['properties']).not.toHaveProperty('metadata')
  const withTypes = bodySchemas(defaultCatalogue, { resourceTypes: ['project'] })
  expect(withTypes.update['properties']).toMatchObject({
    resources: { properties: { project: {} }, additionalProperties: false },
  })
})

test('a rotation has an overlap and an expiry', () => {
  expect(schemas.rotate['properties']).toMatchObject({
    overlapSeconds: { type: 'integer', minimum: 0, maximum: 2_592_000 },
    expiresAt: { type: ['string', 'null'], format: 'date-time' },
  })
})

test('a revocation has a reason', () => {
  expect(schemas.revoke['properties']).toEqual({
    reason: { type: 'string', enum: ['leaked', 'unused', 'other'] },
  })
})

test('a revocation of several keys has the filters that there are', () => {
  const filters = ['creatorId', 'dryRun', 'environment', 'ids', 'reason', 'scope', 'unusedForDays']
  const named = (resourceTypes: readonly string[]) =>
    Object.keys(
      bodySchemas(defaultCatalogue, { resourceTypes }).revokeMany['properties'] ?? {},
    ).sort()
  expect(named([])).toEqual(filters)
  expect(named(['project'])).toEqual([...filters, 'resource'].sort())
})
