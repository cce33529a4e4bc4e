import { manageKeys } from 'miftah/fetch'
import type { NextRequest } from 'next/server'
import { keys } from '../../../../lib/keys'

const manage = manageKeys(keys, {
  basePath: '/api/settings',
  context: (request: NextRequest) =>
    request.cookies.get('session')?.value === 'noura'
      ? { workspaceId: 'ws_1', user: { id: 'u_1', name: 'نورة' } }
      : null,
})

export { manage as GET, manage as PATCH, manage as POST }
