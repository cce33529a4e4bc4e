import { html, nothing, type TemplateResult } from 'lit'
import type { WireKey, WireKeyEvent } from '../../client/index.ts'
import { drawable } from '../format/text.ts'
import { flag, smallButton } from '../parts/controls.ts'
import type { Tab } from '../state/tab.ts'
import type { KeyHistory } from './key-history.ts'

/** Who acts where nobody does: a key ends by itself. */
const SYSTEM = 'miftah:system'

/** What happened to a key, in words, the newest first. */
export function historySection(
  tab: Tab,
  key: WireKey,
  history: KeyHistory,
): TemplateResult | typeof nothing {
  const { events, nextCursor, phase } = history
  if (phase === 'absent') return nothing
  const { text } = tab.locale
  const loading = phase === 'loading'
  const again = () => history.more(key.id)
  return html`
    <section class="stack history" aria-labelledby="history-title" aria-busy=${loading}>
      <h3 id="history-title" class="muted small" tabindex="-1">${text('history.title')}</h3>
      <ol>
        ${events.map((event) => eventLine(tab, key, event))}
      </ol>
      ${phase === 'ready' && events.length === 0 ? html`<p>${text('history.none')}</p>` : nothing}
      ${loading && events.length === 0 ? html`<p class="muted">${text('history.loading')}</p>` : nothing}
      ${
        phase === 'failed'
          ? html`<div class="row">
              <p class="grow">${text('history.failed')}</p>
              ${smallButton(text('err.retry'), again)}
            </div>`
          : nothing
      }
      ${
        nextCursor !== null && phase !== 'failed'
          ? html`<div>
              <button
                type="button"
                class="small-button"
                data-act="more-events"
                aria-disabled=${flag(loading)}
                @click=${again}
              >
                ${text('more')}
              </button>
            </div>`
          : nothing
      }
    </section>
  `
}

function eventLine(tab: Tab, key: WireKey, event: WireKeyEvent): TemplateResult {
  const { id, at } = event
  return html`<li tabindex="-1" data-event=${id}>
    <span>${words(tab, key, event)}</span>
    <span class="row muted small">${doer(tab, event)} <time datetime=${at}>${tab.locale.dates.full(at)}</time></span>
  </li>`
}

function doer({ locale, settings }: Tab, { actor }: WireKeyEvent): unknown {
  if (actor.id === SYSTEM) return nothing
  const own = settings.userId && actor.id === settings.userId
  const name = own ? locale.text('history.you') : drawable(actor.name)
  return html`<span>${locale.rich('history.by', { name })}</span>`
}

/** What an event says. One of a kind that this file does not know is a change. */
function words(tab: Tab, key: WireKey, event: WireKeyEvent): unknown {
  const { dates, rich, text } = tab.locale
  switch (event.type) {
    case 'api_key.created':
    case 'api_key.imported':
    case 'api_key.paused':
    case 'api_key.resumed':
    case 'api_key.expired':
    case 'api_key.retired':
      return text(`history.${lastOf(event.type)}`)
    case 'api_key.rotated':
      return event.keyId === key.id
        ? rotated(tab, event.data.overlapEndsAt)
        : rich('history.origin', { name: drawable(event.data.name) })
    case 'api_key.revoked':
      return text(`history.${reasonOf(event.data)}`)
    case 'api_key.expiring':
      return rich('history.expiring', { date: dates.moment(event.data.expiresAt) })
    default:
      return updated(tab, event)
  }
}

type Plain = 'created' | 'imported' | 'paused' | 'resumed' | 'expired' | 'retired'

function lastOf<Name extends Plain>(type: `api_key.${Name}`): Name {
  return type.slice('api_key.'.length) as Name
}

type Revocation = Extract<WireKeyEvent, { readonly type: 'api_key.revoked' }>['data']

function reasonOf({ endedOverlap, reason }: Revocation) {
  if (reason === 'leaked' || reason === 'unused') return reason
  return endedOverlap ? 'ended' : 'revoked'
}

function rotated({ locale }: Tab, endsAt: string | null): unknown {
  return endsAt === null
    ? locale.text('history.rotated')
    : locale.rich('history.overlap', { date: locale.dates.moment(endsAt) })
}

const FIELDS = ['name', 'note', 'scopes', 'resources', 'networks', 'expiresAt', 'metadata'] as const

function updated({ locale }: Tab, event: WireKeyEvent): string {
  const after: unknown = Reflect.get(event.data, 'after')
  const changed = FIELDS.filter((field) => Object.hasOwn(Object(after), field))
  if (changed.length === 0) return locale.text('history.updated')
  const list = new Intl.ListFormat(locale.settings.lang)
  const fields = list.format(changed.map((field) => locale.text(`history.${field}`)))
  return locale.text('history.fields', { fields })
}
