import * as z from 'zod/mini'
import type { KeyStatus } from '../api-key.ts'
import { KEY_STATUSES } from '../status.ts'
import { ownItems } from './own-data.ts'
import { refuse } from './refuse.ts'

/** How many items are looked at. */
const MOST_ITEMS = 50

/** One status or a list of them. They come out as a list without repeats, in the order of the union. */
export const statusFilter = z.pipe(
  z.unknown(),
  z.transform((input: unknown, context): readonly KeyStatus[] => {
    const list = Array.isArray(input) ? (ownItems(input, MOST_ITEMS) as unknown[]) : [input]
    if (list.length === 0) {
      return refuse(context, { code: 'required', message: 'must name at least one.' })
    }
    for (const [index, item] of list.entries()) {
      if (KEY_STATUSES.includes(item as KeyStatus)) continue
      const path = Array.isArray(input) ? [index] : []
      if (typeof item === 'string') {
        const message = `must be ${KEY_STATUSES.join(' or ')}.`
        refuse(context, { path, code: 'invalid_value', message })
      } else refuse(context, { path, code: 'invalid_type', message: 'must be text.' })
    }
    return KEY_STATUSES.filter((status) => list.includes(status))
  }),
)
