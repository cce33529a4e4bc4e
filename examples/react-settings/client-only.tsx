import { type ReactNode, useSyncExternalStore } from 'react'

const never = () => () => {}

/**
 * Leaves its children to the browser in an application that renders on a server: React sets neither
 * properties nor events of a custom element that it finds in the markup (react/react#35446).
 */
export function ClientOnly({ children }: { readonly children: ReactNode }): ReactNode {
  const inBrowser = useSyncExternalStore(
    never,
    () => true,
    () => false,
  )
  return inBrowser ? children : null
}
