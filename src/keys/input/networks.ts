import * as z from 'zod/mini'
import { ownItems } from '../../lib/own-data.ts'
import type { KeyNetworks } from '../../model/key.ts'
import { networkProblem } from '../../restrictions/networks.ts'
import { type Problem, refuse } from './refuse.ts'

const MAX_NETWORKS = 20

/** `any`, or the networks that a key may be used from. `allowsPrivate`: also those of a host's own network. */
export function networksSchema(allowsPrivate: boolean): z.ZodMiniType<KeyNetworks, unknown> {
  const list = { type: 'array', minItems: 1, maxItems: MAX_NETWORKS, items: { type: 'string' } }
  return z.pipe(
    z.unknown().register(z.globalRegistry, { anyOf: [{ const: 'any' }, list] }),
    z.transform((input: unknown, context): KeyNetworks => {
      if (input === 'any') return input
      const given = ownItems(input, MAX_NETWORKS + 1)
      const problems = problemsOf(given, allowsPrivate)
      for (const problem of problems) refuse(context, problem)
      return problems.length > 0 ? z.NEVER : Object.freeze(given as string[])
    }),
  )
}

function problemsOf(given: unknown, allowsPrivate: boolean): readonly Problem[] {
  if (!Array.isArray(given)) {
    return [{ code: 'invalid_type', message: 'must be "any" or a list of networks.' }]
  }
  if (given.length === 0) return [{ code: 'required', message: 'must name a network.' }]
  if (given.length > MAX_NETWORKS) {
    return [{ code: 'too_long', message: `must name at most ${MAX_NETWORKS} networks.` }]
  }
  const problems = given.flatMap((text, at) => itemProblem(text, at, allowsPrivate) ?? [])
  if (problems.length > 0 || new Set(given).size === given.length) return problems
  return [{ code: 'repeated', message: 'must not repeat a network.' }]
}

function itemProblem(text: unknown, at: number, allowsPrivate: boolean): Problem | null {
  const path = [at]
  if (typeof text !== 'string') return { path, code: 'invalid_type', message: 'must be text.' }
  const problem = networkProblem(text, allowsPrivate)
  if (problem === null) return null
  if (problem.code === 'not_canonical') {
    return { path, code: 'not_canonical', message: `must be written ${problem.meant}.` }
  }
  const message =
    problem.code === 'private_network'
      ? 'must not be in a private network.'
      : 'must be an IPv4 or IPv6 network such as 198.51.100.0/24.'
  return { path, code: 'invalid_value', message }
}
