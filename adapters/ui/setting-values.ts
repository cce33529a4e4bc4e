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
  upgradeUrl: linkOf('http:', 'https:', 'mailto:'),
  loginUrl: linkOf('http:', 'https:', 'mailto:'),
  docsUrl: linkOf('http:', 'https:', 'mailto:'),
  callUrl: linkOf('http:', 'https:'),
  headingLevel: (level) => [1, 2, 3, 4, 5, 6].find((one) => one === Number(level)),
  defaultExpiry: oneOf(['never', '7', '30', '60', '90']),
  defaultOverlap: (seconds) => [0, 3_600, 86_400, 604_800].find((one) => one === Number(seconds)),
  strings: (strings) => (typeof strings === 'object' ? strings : undefined),
}

function oneOf(words: readonly string[]) {
  return (given: unknown) => words.find((word) => word === String(given))
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
