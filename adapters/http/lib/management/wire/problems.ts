import * as z from 'zod/mini'
import { issueCodes, problemCodes } from '../../../../../src/http/index.ts'
import { count, environment, keySchema, SCHEMAS } from './key.ts'

/** One thing wrong with one field of a request. */
export interface WireIssue {
  /** The field and the path into it; empty for the whole request. */
  readonly path: readonly (string | number)[]
  /** What is wrong; stable. One of `InputIssueCode` in `miftah`. */
  readonly code: string
  /** The rest of an English sentence about the field. */
  readonly message: string
}

const issue = z.strictObject({
  path: z.array(z.union([z.string(), count])),
  code: z.enum(Object.keys(issueCodes)),
  message: z.string(),
}) satisfies z.ZodMiniType<WireIssue, WireIssue>

const missing = z
  .strictObject({
    scopes: z.optional(z.array(z.string())),
    resources: z.optional(SCHEMAS.resources),
    networks: z.optional(SCHEMAS.networks),
    environments: z.optional(z.array(environment)),
  })
  .check(z.describe('What the key would have beyond what the user may give, by dimension.'))

/** RFC 9457 with the members that some codes add. */
export const problemSchema = z.strictObject({
  type: z.string(),
  title: z.string(),
  status: z.int().check(z.minimum(400), z.maximum(599)),
  detail: z.string(),
  code: z.enum(Object.keys(problemCodes)),
  issues: z.optional(z.array(issue)),
  activeKeys: z.optional(count),
  activeKeyLimit: z.optional(count),
  retiringKeys: z.optional(count),
  replacedBy: z.optional(z.string()),
  key: z.optional(keySchema()),
  missing: z.optional(missing),
})
