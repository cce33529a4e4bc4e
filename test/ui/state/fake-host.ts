import type { ManagementClient } from '../../../adapters/client/index.ts'
import { createLocale } from '../../../adapters/ui/format/locale.ts'
import { defaultSettings } from '../../../adapters/ui/settings.ts'
import type { Failure } from '../../../adapters/ui/state/failure.ts'
import { KeySource } from '../../../adapters/ui/state/key-source.ts'
import type { Tab } from '../../../adapters/ui/state/tab.ts'

/** The element that holds a piece of state, as far as the piece can tell; `log` is what it asked. */
export function fakeHost(management: Partial<ManagementClient>) {
  const log: unknown[] = []
  const host = {
    management,
    catalogue: {
      groups: null,
      all: [],
      types: [],
      labelOf: () => undefined,
      reload: () => void log.push('scopes again'),
    },
    settings: defaultSettings,
    source: new KeySource('/api'),
    isConnected: true,
    guardsDismissal: false,
    locale: createLocale({
      lang: 'en',
      dir: 'ltr',
      timeZone: 'UTC',
      strings: {},
    }),
    updates: 0,
    beyond: () => '',
    requestUpdate: () => {
      host.updates += 1
    },
    announce: (sentence: string) => void log.push(`said ${sentence}`),
    emit: (type: string, detail: unknown) => log.push([type, detail]) > 0,
    focusOn: (...places: string[]) => void log.push(`focus ${places[0]}`),
    notify: (notice: Failure | null) => void log.push(['notice', notice]),
    moveOn: () => void log.push('moved on'),
    refuse: (action: string) => void log.push(`refused ${action}`),
    expireSession: () => void log.push('expired'),
    changeWorkspace: (leads: unknown) => void log.push(['another workspace', leads]),
  }
  return { host: host as unknown as Tab & { updates: number; source: KeySource }, log }
}
