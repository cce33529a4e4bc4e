import { createElement, createRef } from 'react'
import { expectTypeOf, test } from 'vitest'
import {
  ApiKeysTab,
  type ApiKeysTabElement,
  type ApiKeysTabProps,
} from '../../adapters/react/index.ts'
import type {
  ApiKeysTabEvents,
  ApiKeysTabSettings,
  ApiKeysTab as Tab,
} from '../../adapters/ui/index.ts'

test('a setting that does not exist, or of another type, does not compile', () => {
  createElement(ApiKeysTab, { headingLevel: 3, readonly: undefined, client: null, theme: 'dark' })
  // @ts-expect-error: an attribute of the tag, whose prop is baseUrl
  createElement(ApiKeysTab, { 'base-url': '/api' })
  // @ts-expect-error: a number
  createElement(ApiKeysTab, { headingLevel: '3' })
})

test('every setting is a prop', () => {
  expectTypeOf<ApiKeysTabProps['strings']>().toEqualTypeOf<
    ApiKeysTabSettings['strings'] | null | undefined
  >()
  expectTypeOf<keyof ApiKeysTabSettings>().toExtend<keyof ApiKeysTabProps>()
})

test('a handler has the name and the detail of its event', () => {
  createElement(ApiKeysTab, {
    onApiKeyCreated: ({ detail }) => {
      expectTypeOf(detail).toEqualTypeOf<ApiKeysTabEvents['api-key-created']>()
    },
    onUpgrade: (event) => {
      expectTypeOf(event.detail.reason).toEqualTypeOf<'capability' | 'limit'>()
      event.preventDefault()
    },
    onClick: ({ currentTarget }) => currentTarget.openCreate(),
  })
  // @ts-expect-error: the name of a tag's prop
  createElement(ApiKeysTab, { 'onapi-key-created': () => {} })
  // @ts-expect-error: the detail is a key, and has no secret
  createElement(ApiKeysTab, { onApiKeyCreated: ({ detail }) => detail.secret })
})

test('the ref is the element', () => {
  expectTypeOf<ApiKeysTabElement>().toEqualTypeOf<Tab>()
  createElement(ApiKeysTab, { ref: createRef<ApiKeysTabElement>() })
  // @ts-expect-error: another element
  createElement(ApiKeysTab, { ref: createRef<HTMLInputElement>() })
})
