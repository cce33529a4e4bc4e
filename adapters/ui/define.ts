import { ApiKeysTab } from './element.ts'

export type * from './element.ts'

// On a server there is no registry, and nothing to do.
if (globalThis.customElements && !customElements.get('api-keys-tab')) {
  customElements.define('api-keys-tab', ApiKeysTab)
}
