import 'miftah/settings-tab'
import type { ApiKeysTab } from 'miftah/settings-tab'
import { type ReactNode, useRef, useState } from 'react'

/** The settings page of a React 19 application: the tab is a tag like any other. */
export function SettingsPage({ csrfToken }: { readonly csrfToken: string }): ReactNode {
  const tab = useRef<ApiKeysTab>(null)
  const [lastChange, setLastChange] = useState('')
  return (
    <section>
      <api-keys-tab
        ref={tab}
        lang="ar"
        baseUrl="/api/settings/api-keys"
        getHeaders={() => ({ 'X-CSRF-Token': csrfToken })}
        onapi-key-created={({ detail }) => setLastChange(`created ${detail.name}`)}
        onapi-key-rotated={({ detail }) => setLastChange(`rotated ${detail.name}`)}
        onapi-key-revoked={({ detail }) => setLastChange(`revoked ${detail.name}`)}
      />
      <button type="button" onClick={() => tab.current?.refresh()}>
        Refresh
      </button>
      <output>{lastChange}</output>
    </section>
  )
}
