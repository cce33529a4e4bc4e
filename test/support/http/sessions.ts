import type { ContextAnswer, ManagementOperation } from '../../../adapters/http/fetch.ts'
import type { Grantable } from '../../../src/index.ts'

/** A session as object mappers make them: its class has the properties. */
class Session {
  get workspaceId() {
    return 'ws_1'
  }
  get user() {
    return { id: 'u_6', name: 'Classy' }
  }
}

const member = (id: string, name: string | null, more: object = {}) => ({
  workspaceId: 'ws_1',
  user: { id, name },
  ...more,
})

/** What a junior may give. */
const READS: Grantable = {
  scopes: ['contacts.read'],
  resources: 'all',
  networks: 'any',
  environments: ['live', 'test'],
}

const SESSIONS: Readonly<Record<string, ContextAnswer>> = {
  noura: member('u_1', 'نورة'),
  omar: { workspaceId: 'ws_2', user: { id: 'u_2', name: 'Omar' } },
  reader: member('u_7', 'Reader', { allowedOperations: [] }),
  auditor: member('u_8', 'Auditor', { allowedOperations: ['pauseKey', 'revokeKey'] }),
  sweeper: member('u_12', 'Sweeper', { allowedOperations: ['revokeKeys'] }),
  junior: member('u_10', 'Junior', { grantable: READS }),
  loner: member('u_11', 'Loner', { visible: 'own' }),
  nameless: member('u_5', ' '),
  'null-name': member('u_5', null),
  'two-lines': member('u_5', '\tNoura\r\nof sales\u0000'),
  'half-emoji': member('u_5', 'Noura \uD83D'),
  'only-control': member('u_5', '\u0001\n'),
  'long-name': member('u_5', `${'🗝'.repeat(254)} cut`),
  classy: new Session(),
  half: { workspaceId: 'ws_1' } as ContextAnswer,
}

/** The members of two workspaces, someone who may only look or nothing at all, and two hosts' bugs. */
export function contextOf(
  cookie: string | null | undefined,
  operation: ManagementOperation,
): ContextAnswer {
  const name = cookie?.replace('session=', '') ?? ''
  if (name === 'crash') throw new Error('canary: the session store is down')
  if (name === 'locked') return 'forbidden'
  if (name !== 'viewer') return SESSIONS[name]
  return /^list(?:Keys|Scopes)$/.test(operation) ? member('u_3', 'Viewer') : 'forbidden'
}
