import { expectTypeOf, test } from 'vitest'
import type * as z from 'zod/mini'
import type { Answers } from '../../../adapters/http/lib/management/wire/answers.ts'
import type { WireKey } from '../../../adapters/http/lib/management/wire/key.ts'
import type { WireIssue } from '../../../adapters/http/lib/management/wire/problems.ts'
import type {
  CreateKeyBody,
  ListQuery,
} from '../../../adapters/http/lib/management/wire/requests.ts'
import type { KeyStatus } from '../../../src/index.ts'
import type { KeyFields } from '../../../src/model/new-key.ts'
import type {
  answerSchemas,
  keySchema,
  listQuery,
  problemSchema,
} from '../../programs/openapi/schemas.ts'

/** All members read-only, as the published types have them. */
type Frozen<T> = T extends object ? { readonly [Name in keyof T]: Frozen<T[Name]> } : T

/** What is sent for a schema. */
type Sent<Schema> = Frozen<z.input<Schema>>

/** Whether two types have the same members of the same types. */
type Same<A, B> = [A, keyof A] extends [B, keyof B]
  ? [B, keyof B] extends [A, keyof A]
    ? true
    : false
  : false

/*
 * The published types are written out, so that they name no type of zod. They are the types of the
 * schemas: no member more, none less.
 */

test('a key', () => {
  expectTypeOf<Same<Sent<ReturnType<typeof keySchema>>, Frozen<WireKey>>>().toEqualTypeOf<true>()
  type Forgotten = Omit<WireKey, 'replacedBy'>
  expectTypeOf<Same<Sent<ReturnType<typeof keySchema>>, Forgotten>>().toEqualTypeOf<false>()
})

test('the answers', () => {
  type Schemas = ReturnType<typeof answerSchemas>
  type Described = { readonly [Name in keyof Answers]: Sent<Schemas[Name]> }
  expectTypeOf<Same<Described, Frozen<Answers>>>().toEqualTypeOf<true>()
})

test('the requests', () => {
  // One status is a list of one: a parameter that is given once.
  type Listed = Omit<ListQuery, 'status'> & { readonly status?: readonly KeyStatus[] }
  type Query = { readonly [Name in keyof Listed]: Listed[Name] | undefined }
  expectTypeOf<Same<Frozen<Sent<typeof listQuery>>, Query>>().toEqualTypeOf<true>()
  type Fields = Omit<KeyFields, 'expiresAt'> & { readonly expiresAt?: string | null }
  expectTypeOf<Same<Frozen<Fields>, Frozen<CreateKeyBody>>>().toEqualTypeOf<true>()
})

test('an issue', () => {
  type Issues = NonNullable<z.input<typeof problemSchema>['issues']>
  expectTypeOf<Same<Frozen<Issues[number]>, WireIssue>>().toEqualTypeOf<true>()
})
