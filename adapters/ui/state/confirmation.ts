import type { WireKey } from '../../client/index.ts'
import { eventDetailOf } from '../events.ts'
import { type Failure, failureOf, isGone, isSignedOut, lostAnswer } from './failure.ts'
import { type Host, places } from './host.ts'
import type { KeyList } from './key-list.ts'
import { withPatience } from './outcome.ts'
import type { Reveals } from './reveals.ts'

/** An action that asks first. */
export type ConfirmedAction = 'rotate' | 'revoke'

/** The dialog that asks before a key is rotated or revoked. Nothing changes before the server says so. */
export class Confirmation {
  open = false
  busy = false
  action: ConfirmedAction = 'rotate'
  key: WireKey | null = null
  failure: Failure | null = null
  /** The key that turned out to be gone, until the next action. */
  gone: WireKey | null = null

  readonly #host: Host
  readonly #list: KeyList
  readonly #reveals: Reveals

  constructor(host: Host, list: KeyList, reveals: Reveals) {
    this.#host = host
    this.#list = list
    this.#reveals = reveals
  }

  ask(action: ConfirmedAction, key: WireKey): void {
    if (this.busy) return
    Object.assign(this, { open: true, action, key, failure: null, gone: null })
    this.#host.requestUpdate()
  }

  close(): void {
    this.open = false
    this.#host.requestUpdate()
  }

  async confirm(): Promise<void> {
    const { action, key } = this
    if (this.busy || key === null) return
    Object.assign(this, { busy: true, failure: null })
    this.#host.requestUpdate()
    try {
      if (action === 'rotate') await this.#rotate(key)
      else await this.#revoke(key)
      void this.#list.load()
    } catch (error) {
      this.#explain(error, key)
    } finally {
      this.busy = false
      this.#host.requestUpdate()
    }
  }

  async #rotate(key: WireKey): Promise<void> {
    const { locale, management } = this.#host
    const change = management.rotateKey(key.id)
    const late = () => this.#fail(lostAnswer('rotate'))
    const { key: next, secret, replaced } = await withPatience(change, late)
    this.close()
    this.#list.replace(replaced)
    this.#list.add(next)
    this.#reveals.retire(key.id)
    this.#reveals.show('rotated', next, secret)
    this.#host.announce(locale.text('rot.done', { name: key.name }))
    this.#host.emit('api-key-rotated', eventDetailOf(next))
  }

  async #revoke(key: WireKey): Promise<void> {
    const change = this.#host.management.revokeKey(key.id)
    const revoked = await withPatience(change, () => this.#fail(lostAnswer('revoke')))
    this.close()
    this.#list.replace(revoked)
    this.#reveals.retire(key.id)
    this.#host.focusOn(places.row(key.id))
    this.#host.announce(this.#host.locale.text('rev.done', { name: key.name }))
    this.#host.emit('api-key-revoked', eventDetailOf(revoked))
  }

  #explain(error: unknown, key: WireKey): void {
    if (isSignedOut(error)) {
      this.#host.expireSession()
      return
    }
    if (isGone(error)) {
      this.#leave(key)
      return
    }
    const failure = failureOf(error, this.action)
    this.#fail(failure)
    if (failure.id === 'e.capability') void this.#list.load()
  }

  #leave(key: WireKey): void {
    this.gone = key
    this.close()
    this.#host.announce(this.#host.locale.text('e.gone'))
    // Once the list is fresh: only then is it known whether the row is still there.
    void this.#list
      .load()
      .then(() => this.#host.focusOn(places.row(key.id), places.title, places.root))
  }

  #fail(failure: Failure): void {
    Object.assign(this, { failure, busy: false })
    this.#host.focusOn(places.alert)
    this.#host.requestUpdate()
  }
}
