'use client'

import { ApiKeysTab, type ApiKeysTabElement } from 'miftah/react'
import { type ReactNode, useRef, useState } from 'react'

/** The settings page of a React application. */
export function SettingsPage({ csrfToken }: { readonly csrfToken: string }): ReactNode {
  const tab = useRef<ApiKeysTabElement>(null)
  const [lastChange, setLastChange] = useState('')
  return (
    <section>
      <ApiKeysTab
        ref={tab}
        lang="ar"
        baseUrl="/api/settings/api-keys"
        getHeaders={() => ({ 'X-CSRF-Token': csrfToken })}
        onApiKeyCreated={({ detail }) => setLastChange(`created ${detail.name}`)}
        onApiKeyRotated={({ detail }) => setLastChange(`rotated ${detail.name}`)}
        onApiKeyRevoked={({ detail }) => setLastChange(`revoked ${detail.name}`)}
      />
      <button type="button" onClick={() => tab.current?.refresh()}>
        Refresh
      </button>
      <output>{lastChange}</output>
    </section>
  )
}
