import { type DemoWorkspace, findWorkspace } from './demo-data.ts'

/** The cookie that says where the demo user is signed in. A real host has real sessions. */
export const SESSION_COOKIE = 'demo_workspace'

/** The workspace that the request's session cookie names, or `null` when nobody is signed in. */
export function signedInWorkspace(cookieHeader: string | null | undefined): DemoWorkspace | null {
  for (const pair of (cookieHeader ?? '').split(';')) {
    const [name, value] = pair.trim().split('=')
    if (name === SESSION_COOKIE && value !== undefined) return findWorkspace(value) ?? null
  }
  return null
}
