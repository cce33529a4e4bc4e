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

  # 3. call it too often: the fourth report within a minute is refused with 429
  for i in 1 2 3 4; do curl -s -o /dev/null -w '%{http_code}\\n' \\
    ${address}/api/public/v1/report -H 'Authorization: Bearer PASTE_THE_SECRET'; done

  # 4. list, rotate and revoke (PASTE_THE_ID looks like key_…)
  curl -s ${as('business')} ${settings}/keys
  curl -s ${as('business')} ${json} -d '{}' ${settings}/keys/PASTE_THE_ID/rotate
  curl -s ${as('business')} ${json} -d '{}' ${settings}/keys/PASTE_THE_ID/revoke

  # 5. see by hour how often the keys were accepted and refused
  curl -s ${as('business')} "${settings}/usage?from=$(date -u +%FT00:00:00Z)&to=$(date -u +%FT23:59:59Z)"

Ctrl+C writes the last counts and stops.
`
}
