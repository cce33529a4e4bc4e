import { ApiKeysTab } from './element.ts'

export type * from './element.ts'

if (!customElements.get('api-keys-tab')) customElements.define('api-keys-tab', ApiKeysTab)
