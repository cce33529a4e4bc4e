import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { SettingsPage } from './settings-page.tsx'

createRoot(document.querySelector('#app')).render(
  <StrictMode>
    <SettingsPage csrfToken="t" />
  </StrictMode>,
)
