import { SESSION_COOKIE } from './session.ts'

/** What the host prints when it is ready: what it is, where it is, and commands to paste. */
export function banner(address: string, place: string): string {
  const settings = `${address}/api/settings/api-keys`
  const as = (workspace: string) => `-b ${SESSION_COOKIE}=${workspace}`
  const json = "-H 'Content-Type: application/json'"
  return `
miftah example host: a product with a public API and an "API keys" settings page.

  Page   ${address}
  Keys   ${place}

Two workspaces have the API: "business" (5 active keys) and "enterprise" (unlimited);
"starter" has not. The demo user is signed in by a cookie. With curl:

  # 1. create a key; the answer holds the secret, once
  curl -s ${as('business')} ${json} ${settings}/keys \\
    -d '{"name":"CRM sync","environment":"live","scopes":["contacts.read"]}'

  # 2. call the public API with it
  curl -s ${address}/api/public/v1/contacts -H 'Authorization: Bearer PASTE_THE_SECRET'

  # 3. list, rotate and revoke (PASTE_THE_ID looks like key_…)
  curl -s ${as('business')} ${settings}/keys
  curl -s ${as('business')} ${json} -d '{}' ${settings}/keys/PASTE_THE_ID/rotate
  curl -s ${as('business')} ${json} -d '{}' ${settings}/keys/PASTE_THE_ID/revoke

Ctrl+C writes the last counts and stops.
`
}
