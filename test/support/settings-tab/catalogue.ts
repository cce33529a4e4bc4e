import type { ScopesAnswer } from '../../../adapters/client/index.ts'
import { defaultCatalogue } from '../../../src/index.ts'

/** What `GET /scopes` answers in the tests. Its words are checked in test/core/scopes. */
export const catalogue: ScopesAnswer = { groups: defaultCatalogue.groups }
