/**
 * Defines `<api-keys-tab>`: a page imports it for this effect and writes the tag. On a server, and
 * where the tag is defined already, it does nothing. Its types are those of
 * `miftah/settings-tab/element`.
 *
 * @module miftah/settings-tab
 */

import { ApiKeysTab } from './element.ts'

export type * from './element.ts'

// On a server there is no registry, and nothing to do.
if (globalThis.customElements && !customElements.get('api-keys-tab')) {
  customElements.define('api-keys-tab', ApiKeysTab)
}
