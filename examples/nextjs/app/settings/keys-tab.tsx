'use client'

import { ApiKeysTab } from 'miftah/react'
import { useState } from 'react'

export function KeysTab({ csrfToken }: { csrfToken: string }) {
  const [lastChange, setLastChange] = useState('')
  return (
    <>
      <ApiKeysTab
        lang="en"
        baseUrl="/api/settings"
        getHeaders={() => ({ 'X-CSRF-Token': csrfToken })}
        onApiKeyCreated={({ detail }) => setLastChange(`created ${detail.name}`)}
      />
      <output>{lastChange}</output>
    </>
  )
}
