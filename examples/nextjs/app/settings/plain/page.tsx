import { ApiKeysTab } from 'miftah/react'

export default function Settings() {
  return <ApiKeysTab lang="en" baseUrl="/api/settings" />
}
