import { requireKey } from 'miftah/fetch'
import { after, type NextRequest } from 'next/server'
import { keys } from '@/lib/keys'

export const GET = requireKey(
  keys,
  'contacts.read',
)((_request: NextRequest, { apiKey }) => {
  after(() => keys.flush())
  return Response.json({ workspace: apiKey.workspaceId })
})
