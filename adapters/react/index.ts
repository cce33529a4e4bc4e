/**
 * The settings tab as a React component: settings and events are typed props, the element is the `ref`.
 *
 * @module miftah/react
 */
'use client'

import {
  createElement,
  type ForwardRefExoticComponent,
  forwardRef,
  type RefAttributes,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
} from 'react'
import '../ui/index.ts'
import {
  type ApiKeysTabElement,
  type ApiKeysTabProps,
  applySettings,
  attributesOf,
  listen,
} from './tag.ts'

export type { ApiKeysTabElement, ApiKeysTabHandlers, ApiKeysTabProps } from './tag.ts'

// React 18 warns about layout effects on a server.
const useBrowserEffect = typeof document === 'undefined' ? useEffect : useLayoutEffect

/**
 * Renders `<api-keys-tab>`. A server prints the empty tag; the browser draws the tab once its props are
 * set. Keep a `client` stable between renders: a new one loads the list again.
 *
 * @example
 * ```ts
 * import { ApiKeysTab } from 'miftah/react'
 * import { createElement } from 'react'
 *
 * export const tab = createElement(ApiKeysTab, {
 *   lang: 'ar',
 *   onApiKeyCreated: ({ detail }) => console.log(`created ${detail.name}`),
 * })
 * ```
 */
export const ApiKeysTab: ForwardRefExoticComponent<
  ApiKeysTabProps & RefAttributes<ApiKeysTabElement>
> = /* @__PURE__ */ forwardRef(function ApiKeysTab(props: ApiKeysTabProps, ref) {
  const element = useRef<ApiKeysTabElement>(null)
  const latest = useRef<ApiKeysTabProps>({})
  useImperativeHandle(ref, () => element.current as ApiKeysTabElement, [])
  useBrowserEffect(() => {
    if (element.current) applySettings(element.current, latest.current, props)
    latest.current = props
  })
  useBrowserEffect(() => (element.current ? listen(element.current, latest) : undefined), [])
  return createElement('api-keys-tab', { ...attributesOf(props), ref: element })
})
