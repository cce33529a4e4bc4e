import { isScopes } from '../client/answers.ts'
import { defaultSettings, type SettingName } from './settings.ts'

/** The attribute of a setting with a plain value: `timeZone` is `time-zone`. Others have none. */
export function attributeOf(name: SettingName): string | null {
  if (typeof defaultSettings[name] === 'object') return null
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

/** What an attribute says about a setting; removing it restores the default. */
export function fromAttribute(name: SettingName, value: string | null): unknown {
  return typeof defaultSettings[name] === 'boolean' ? value !== null : value
}

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
  upgradeUrl: linkFrom,
  loginUrl: linkFrom,
  docsUrl: linkFrom,
  callUrl: linkFrom,
  headingLevel: (level) => [1, 2, 3, 4, 5, 6].find((one) => one === Number(level)),
  columns: (names) => String(names),
  defaultExpiry: oneOf(['never', '7', '30', '60', '90']),
  defaultFilter: oneOf(['all', 'active', 'unused', 'revoked']),
  defaultOverlap: (seconds) => [0, 3_600, 86_400, 604_800].find((one) => one === Number(seconds)),
  pageSize: wholeIn(1, 200),
  unusedDays: wholeIn(1, 3_660),
  busyUses: wholeIn(0, Number.MAX_SAFE_INTEGER),
  scopes: (scopes) => (isScopes(scopes) ? scopes : undefined),
  strings: (strings) => (typeof strings === 'object' ? strings : undefined),
}

function oneOf(words: readonly string[]) {
  return (given: unknown) => words.find((word) => word === String(given))
}

function wholeIn(least: number, most: number) {
  return (given: unknown) => {
    const count = Number(given)
    return Number.isInteger(count) && count >= least && count <= most ? count : undefined
  }
}

// Read as the browser reads it, which finds `javascript:` also when line breaks hide it.
function linkFrom(address: unknown): string | undefined {
  try {
    const { protocol } = new URL(String(address), 'https://page.invalid')
    return ['http:', 'https:', 'mailto:'].includes(protocol) ? String(address) : undefined
  } catch {
    return undefined
  }
}
