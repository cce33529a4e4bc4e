import type {
  ContextAnswer,
  KeyOperation,
  ManagementOperation,
} from '../../../adapters/http/management.ts'

/** A session as object mappers make them: its class has the properties. */
class Session {
  get workspaceId() {
    return 'ws_1'
  }
  get user() {
    return { id: 'u_6', name: 'Classy' }
  }
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
    case 'session=crash':
      throw new Error('canary: the session store is down')
    case 'session=nonsense':
      return { workspaceId: 'ws\u00001', user: { id: 'u_4', name: 'canary' } }
    case 'session=nameless':
      return { workspaceId: 'ws_1', user: { id: 'u_5', name: ' ' } }
    case 'session=null-name':
      return { workspaceId: 'ws_1', user: { id: 'u_5', name: null } }
    case 'session=classy':
      return new Session()
    case 'session=numbered':
      return { workspaceId: 'ws_1', user: { id: 7 as unknown as string, name: 'Seven' } }
    case 'session=half':
      return { workspaceId: 'ws_1' } as ContextAnswer
    default:
      return undefined
  }
}
