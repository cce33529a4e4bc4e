import type { ApiKeysTab, ApiKeysTabProps } from 'miftah/settings-tab'
import type { ClassAttributes, HTMLAttributes } from 'react'

declare module 'react' {
  namespace JSX {
    interface IntrinsicElements {
      'api-keys-tab': ApiKeysTabProps & HTMLAttributes<ApiKeysTab> & ClassAttributes<ApiKeysTab>
    }
  }
}
