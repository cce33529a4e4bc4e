import * as z from 'zod/mini'
import type { ScopeCatalogue } from '../scopes/catalogue.ts'
import { checkName, codePoints, MAX_NAME_LENGTH } from './name.ts'
import { isPlainText } from './text.ts'

const MAX_IDENTIFIER_LENGTH = 255
const MAX_PAGE = 200

/** Reads own properties only, so that nothing inherited passes for input. */
const ownProperties = z.transform((input: unknown) =>
  typeof input === 'object' && input !== null && !Array.isArray(input)
    ? Object.assign(Object.create(null), input)
    : input,
)

function strictObject<const T extends z.core.$ZodShape>(shape: T) {
  return z.pipe(ownProperties, z.strictObject(shape))
}

function refuse(context: z.core.ParsePayload, code: string, message: string): never {
  context.issues.push({ code: 'custom', message, params: { code }, input: context.value })
  return z.NEVER
}

const hostText = (text: string) =>
  text.trim() !== '' && codePoints(text) <= MAX_IDENTIFIER_LENGTH && isPlainText(text)

const identifier = z.string().check(
  z.refine(hostText, {
    message: `must be 1 to ${MAX_IDENTIFIER_LENGTH} characters without control characters.`,
  }),
)

const person = strictObject({ id: identifier, name: identifier })

const environment = z.enum(['live', 'test'])

const name = z
  .pipe(
    z.string(),
    z.transform((raw: string, context) => {
      const result = checkName(raw)
      return result.ok ? result.name : refuse(context, result.code, result.message)
    }),
  )
  .register(z.globalRegistry, { minLength: 1, maxLength: MAX_NAME_LENGTH })

function scopes<S extends string>(catalogue: ScopeCatalogue<S>) {
  const scope = z.enum(catalogue.scopes) as unknown as z.ZodMiniType<S, S>
  return z
    .pipe(
      z.array(scope).check(z.minLength(1)),
      z.transform((chosen: S[], context): readonly S[] => {
        const set = new Set(chosen)
        if (set.size < chosen.length) refuse(context, 'repeated', 'must not repeat a scope.')
        return catalogue.scopes.filter((scope) => set.has(scope))
      }),
    )
    .register(z.globalRegistry, { minItems: 1, uniqueItems: true })
}

/** The fields of a new key that its user chooses. */
function keyFields<S extends string>(catalogue: ScopeCatalogue<S>) {
  return { name, environment, scopes: scopes(catalogue) }
}

/**
 * The schema of the fields a user chooses for a new key: `name`, `environment` and `scopes`. It is
 * what `createKey` validates with; published so that an API description can be made from it.
 *
 * @example
 * ```ts
 * import { defaultCatalogue, keyFieldsSchema } from 'miftah'
 *
 * keyFieldsSchema(defaultCatalogue).safeParse({ name: 'CRM' }).success //=> false
 * ```
 */
export function keyFieldsSchema<S extends string>(catalogue: ScopeCatalogue<S>) {
  return z.strictObject(keyFields(catalogue))
}

/** The inputs of the operations, for one catalogue. */
export function inputSchemas<S extends string>(catalogue: ScopeCatalogue<S>) {
  return {
    fields: strictObject(keyFields(catalogue)),
    create: strictObject({
      workspaceId: identifier,
      creator: person,
      ...keyFields(catalogue),
    }),
    action: strictObject({ workspaceId: identifier, id: z.string(), actor: person }),
    list: strictObject({
      workspaceId: identifier,
      status: z.optional(z.enum(['active', 'revoked'])),
      environment: z.optional(environment),
      cursor: z.nullish(z.string()),
      limit: z._default(z.int().check(z.minimum(1), z.maximum(MAX_PAGE)), 50),
    }),
    events: strictObject({
      workspaceId: identifier,
      cursor: z.nullish(z.string()),
      limit: z._default(z.int().check(z.minimum(1), z.maximum(MAX_PAGE)), 50),
    }),
  }
}
