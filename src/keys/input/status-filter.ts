import * as z from 'zod/mini'
import { ownItems } from '../../lib/own-data.ts'
import type { KeyStatus } from '../../model/key.ts'
import { KEY_STATUSES } from '../../model/status.ts'
import { type Problem, refuse } from './refuse.ts'

/** How many items a list may have. */
const MOST_ITEMS = 50

/** One status or a list of them. They come out as a list without repeats, in the order of the union. */
export const statusFilter = z.pipe(
  z.unknown(),
  z.transform((input: unknown, context): readonly KeyStatus[] => {
    const list = Array.isArray(input) ? ownItems(input, MOST_ITEMS + 1) : [input]
    const problem = listProblem(list)
    if (problem !== null) return refuse(context, problem)
    const items = list as readonly unknown[]
    for (const [index, item] of items.entries()) {
      const path = Array.isArray(input) ? [index] : []
      if (!KEY_STATUSES.includes(item as KeyStatus)) refuse(context, { ...itemProblem(item), path })
    }
    return KEY_STATUSES.filter((status) => items.includes(status))
  }),
)

function listProblem(list: unknown): Problem | null {
  // A list that cannot be read is no list.
  if (!Array.isArray(list)) return { code: 'invalid_type', message: 'must be a list.' }
  if (list.length === 0) return { code: 'required', message: 'must name at least one.' }
  if (list.length <= MOST_ITEMS) return null
  return { code: 'too_long', message: `must name at most ${MOST_ITEMS}.` }
}

function itemProblem(item: unknown): Problem {
  if (typeof item !== 'string') return { code: 'invalid_type', message: 'must be text.' }
  return { code: 'invalid_value', message: `must be one of: ${KEY_STATUSES.join(', ')}.` }
}
