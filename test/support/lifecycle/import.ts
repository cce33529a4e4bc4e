import { createHash } from 'node:crypto'
import type { DefaultScope, ImportKey } from '../../../src/index.ts'
import { CREATOR } from '../world.ts'

export const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

/** Keys as another system issues them, and what it stores of one. */
export const OLD_SECRET = 'old_7f3kQ2mZ9xPLw4'
export const FORMAT = { id: 'old', test: (text: string) => text.startsWith('old_'), digest: sha256 }

export function importInput(fields: Record<string, unknown> = {}): ImportKey<DefaultScope> {
  return {
    workspaceId: 'ws_1',
    creator: CREATOR,
    name: 'Billing export',
    environment: 'live',
    scopes: ['contacts.read'],
    format: 'old',
    digest: sha256(OLD_SECRET),
    ...fields,
  }
}
