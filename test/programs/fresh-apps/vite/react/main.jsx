import 'miftah/settings-tab'
import { createRoot } from 'react-dom/client'

createRoot(document.querySelector('#app')).render(<api-keys-tab base-url="/api/settings" />)
