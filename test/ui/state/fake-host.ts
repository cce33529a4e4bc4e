import type { ManagementClient } from '../../../adapters/client/index.ts'
import { createLocale } from '../../../adapters/ui/format/locale.ts'
import type { Host } from '../../../adapters/ui/state/host.ts'

/** The element that holds a piece of state, as far as the piece can tell; `log` is what it asked. */
export function fakeHost(management: Partial<ManagementClient>) {
  const log: unknown[] = []
  const host = {
    management,
    locale: createLocale({
      lang: 'en',
      dir: 'ltr',
      numerals: 'latn',
      calendar: 'gregory',
      timeZone: 'UTC',
      strings: {},
    }),
    updates: 0,
    requestUpdate: () => {
      host.updates += 1
    },
    announce: (sentence: string) => void log.push(`said ${sentence}`),
    emit: (type: string, detail: unknown) => log.push([type, detail]) > 0,
    expireSession: () => void log.push('expired'),
  }
  return { host: host as unknown as Host & { readonly updates: number }, log }
}
