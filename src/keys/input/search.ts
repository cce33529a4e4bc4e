import * as z from 'zod/mini'
import { folded } from '../../model/folded.ts'
import { codePoints } from '../../model/name.ts'
import { refuse } from './refuse.ts'

/** In Unicode code points. */
const MAX_SEARCH_LENGTH = 120

/** What is searched for. It comes out folded. */
export const searchSchema = z.pipe(
  z.string(),
  z.transform((text: string, context): string => {
    if (codePoints(text) > MAX_SEARCH_LENGTH) {
      const message = `must have at most ${MAX_SEARCH_LENGTH} characters.`
      return refuse(context, { code: 'too_long', message })
    }
    const search = folded(text)
    if (search !== '') return search
    return refuse(context, { code: 'required', message: 'must not be blank.' })
  }),
)
