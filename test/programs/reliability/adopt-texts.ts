import { createApiKeys, plans } from '../../../src/index.ts'
import type { KeyStorage } from '../../../src/storage/index.ts'

/** Texts that the old system takes for one key, since it compares their beginning only. */
export interface AdoptOrder {
  readonly workspaceId: string
  readonly endings: readonly string[]
}

/** Authenticates with texts of the old key of a workspace; answers the verdicts and the faults. */
export async function adoptInto(storage: KeyStorage, { workspaceId, endings }: AdoptOrder) {
  const faults: string[] = []
  const keys = createApiKeys({
    storage,
    entitlements: () => plans.enterprise,
    storageTimeoutMs: 30_000,
    formats: [{ id: 'old', test: (text) => text.startsWith('old_') }],
    adopt: () => ({
      workspaceId,
      externalId: 'row 7',
      creator: { id: 'u_1', name: 'Noura' },
      name: 'Old key',
      environment: 'live',
      scopes: ['contacts.read'],
    }),
    onEvent: (event) => {
      if (event.type === 'outage') faults.push(`fault: ${event.operation}`)
    },
  })
  const answers = await Promise.all(
    endings.map((ending) => keys.authenticateSecret(`old_${workspaceId}_${ending}`, null)),
  )
  await keys.close()
  return [...answers.map((answer) => (answer.ok ? 'ok' : answer.reason)), ...faults]
}
