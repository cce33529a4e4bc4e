import type {
  ContextAnswer,
  KeyOperation,
  ManagementOperation,
} from '../../../adapters/http/fetch.ts'
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

const named = (name: string): ContextAnswer => ({ workspaceId: 'ws_1', user: { id: 'u_5', name } })

/** What a junior may give. */
const READS: Grantable = {
  scopes: ['contacts.read'],
  resources: 'all',
  networks: 'any',
  environments: ['live', 'test'],
}

/** The members of two workspaces, someone who may only look, and two hosts' bugs. */
export function contextOf(
  cookie: string | null | undefined,
  operation: ManagementOperation,
): ContextAnswer {
  switch (cookie) {
    case 'session=noura':
      return { workspaceId: 'ws_1', user: { id: 'u_1', name: 'نورة' } }
    case 'session=omar':
      return { workspaceId: 'ws_2', user: { id: 'u_2', name: 'Omar' } }
    case 'session=viewer':
      if (operation !== 'listKeys' && operation !== 'listScopes') return 'forbidden'
      return { workspaceId: 'ws_1', user: { id: 'u_3', name: 'Viewer' } }
    case 'session=reader':
      return { workspaceId: 'ws_1', user: { id: 'u_7', name: 'Reader' }, allowedOperations: [] }
    case 'session=auditor':
      return {
        workspaceId: 'ws_1',
        user: { id: 'u_8', name: 'Auditor' },
        allowedOperations: ['pauseKey', 'revokeKey'],
      }
    case 'session=sweeper':
      return {
        workspaceId: 'ws_1',
        user: { id: 'u_12', name: 'Sweeper' },
        allowedOperations: ['revokeKeys'],
      }
    case 'session=misspelt':
      return {
        workspaceId: 'ws_1',
        user: { id: 'u_9', name: 'canary' },
        allowedOperations: ['revokeKey', 'rotate' as KeyOperation],
      }
    case 'session=unlisted':
      return {
        workspaceId: 'ws_1',
        user: { id: 'u_9', name: 'canary' },
        allowedOperations: 'revokeKey' as unknown as KeyOperation[],
      }
    case 'session=junior':
      return { workspaceId: 'ws_1', user: { id: 'u_10', name: 'Junior' }, grantable: READS }
    case 'session=loner':
      return { workspaceId: 'ws_1', user: { id: 'u_11', name: 'Loner' }, visible: 'own' }
    case 'session=ungranted':
      return {
        workspaceId: 'ws_1',
        user: { id: 'u_9', name: 'canary' },
        grantable: undefined as unknown as Grantable,
      }
    case 'session=blind':
      return {
        workspaceId: 'ws_1',
        user: { id: 'u_9', name: 'canary' },
        visible: 'none' as 'own',
      }
    case 'session=crash':
      throw new Error('canary: the session store is down')
    case 'session=nameless':
      return { workspaceId: 'ws_1', user: { id: 'u_5', name: ' ' } }
    case 'session=null-name':
      return { workspaceId: 'ws_1', user: { id: 'u_5', name: null } }
    case 'session=two-lines':
      return named('\tNoura\r\nof sales\u0000')
    case 'session=half-emoji':
      return named('Noura \uD83D')
    case 'session=only-control':
      return named('\u0001\n')
    case 'session=long-name':
      return named('🗝'.repeat(300))
    case 'session=reserved-id':
      return { workspaceId: 'ws_1', user: { id: 'miftah:canary', name: 'canary' } }
    case 'session=long-id':
      return { workspaceId: 'ws_1', user: { id: 'canary'.repeat(50), name: 'canary' } }
    case 'session=id-with-control':
      return { workspaceId: 'ws_1', user: { id: 'canary\n', name: 'canary' } }
    case 'session=classy':
      return new Session()
    case 'session=half':
      return { workspaceId: 'ws_1' } as ContextAnswer
    default:
      return undefined
  }
}
