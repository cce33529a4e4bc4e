import type { TabClient } from '../calls/client.ts'
import type { StringOverrides } from '../strings/messages.ts'

/** How long a replaced key may go on working, in seconds: at once, an hour, a day, a week. */
export const OVERLAPS: readonly number[] = [0, 3_600, 86_400, 604_800]

/**
 * What a page can set on the tab: each is a property, and those of plain values an attribute too. A
 * property that is set to `undefined` or `null` reverts to its default, as does one set to an invalid
 * value: a heading level of 0, a link to `javascript:`.
 */
export interface ApiKeysTabSettings {
  /** Where the management routes are mounted. Attribute `base-url`; default `/api/settings/api-keys`. */
  baseUrl: string
  /** Where the Upgrade links lead: HTTP or `mailto:`. Attribute `upgrade-url`; default `/upgrade`. */
  upgradeUrl: string
  /** Where Sign in leads; without it Sign in reloads the page. Attribute `login-url`. */
  loginUrl: string
  /** The guide linked from the introduction; no link without it. Attribute `docs-url`. */
  docsUrl: string
  /**
   * An address of your API that a new key can call with GET: the first call is shown beside each new
   * key, ready to paste. HTTP only. Attribute `call-url`; no call without it.
   */
  callUrl: string
  /** The signed-in user's id: keys of their own say "by you". Attribute `user-id`. */
  userId: string
  /**
   * The colours: `auto`, the default, follows the `color-scheme` of the page, which may follow the user.
   */
  theme: 'auto' | 'light' | 'dark'
  /** IANA time zone of dates; the browser's without it. Attribute `time-zone`. */
  timeZone: string
  /** Heading level of the title, 1 to 6. Attribute `heading-level`; default 2. */
  headingLevel: number
  /** Leaves the title to the page. Attribute `hide-heading`; default `false`. */
  hideHeading: boolean
  /** Shows the list without any action. Default `false`. */
  readonly: boolean
  /** The expiry of a new key: `never`, the default, or `7`, `30`, `60`, `90` days. Attribute `default-expiry`. */
  defaultExpiry: string
  /**
   * How long the old key goes on working unless the user chooses otherwise, in seconds: 0, 3,600, 86,400
   * or 604,800. Attribute `default-overlap`; default 0, and a day for a key that was used in the last day.
   */
  defaultOverlap: number
  /** Used in place of the built-in client over `fetch`. Default `null`: the built-in one. */
  client: TabClient | null
  /**
   * Headers for every call of the built-in client, asked afresh each time: a CSRF token. Default
   * `null`: none.
   */
  getHeaders: (() => HeadersInit | Promise<HeadersInit>) | null
  /** Other sentences, or further languages. Default: none beside the built-in Arabic and English. */
  strings: StringOverrides
}

export const defaultSettings: ApiKeysTabSettings = {
  baseUrl: '/api/settings/api-keys',
  upgradeUrl: '/upgrade',
  loginUrl: '',
  docsUrl: '',
  callUrl: '',
  userId: '',
  theme: 'auto',
  timeZone: '',
  headingLevel: 2,
  hideHeading: false,
  readonly: false,
  defaultExpiry: 'never',
  defaultOverlap: 0,
  client: null,
  getHeaders: null,
  strings: {},
}

export type SettingName = keyof ApiKeysTabSettings

/**
 * The value that a setting takes when this one is given. An absent value is the default: React sets a
 * property that is no longer given to `undefined`. So is one that the tab could not draw or follow.
 */
export function settingFrom(name: SettingName, given: unknown): unknown {
  const absent = given === undefined || given === null
  const read = readers[name] ?? ((value) => value)
  return (absent ? undefined : read(given)) ?? defaultSettings[name]
}

/** What a setting makes of a value; `undefined` when it can make nothing of it. */
const readers: { readonly [Name in SettingName]?: (given: unknown) => unknown } = {
  upgradeUrl: linkOf('http:', 'https:', 'mailto:'),
  loginUrl: linkOf('http:', 'https:', 'mailto:'),
  docsUrl: linkOf('http:', 'https:', 'mailto:'),
  callUrl: linkOf('http:', 'https:'),
  headingLevel: (level) => [1, 2, 3, 4, 5, 6].find((one) => one === Number(level)),
  defaultExpiry: (given) => ['never', '7', '30', '60', '90'].find((one) => one === String(given)),
  defaultOverlap: (seconds) => OVERLAPS.find((one) => one === Number(seconds)),
  strings: (strings) => (typeof strings === 'object' ? strings : undefined),
}

// Read as the browser reads it, which finds `javascript:` also when line breaks hide it.
function linkOf(...protocols: readonly string[]) {
  return (address: unknown): string | undefined => {
    try {
      const { protocol } = new URL(String(address), 'https://page.invalid')
      return protocols.includes(protocol) ? String(address) : undefined
    } catch {
      return undefined
    }
  }
}
