import { ManagementError, type UpdateKeyBody, type WireKey } from '../../client/index.ts'
import { eventDetailOf } from '../events.ts'
import { codeOf, type Failure, lateFailure, lostAnswer } from '../state/failure.ts'
import type { KeySource } from '../state/key-source.ts'
import { explained, isGone, leaveGone, withPatience } from '../state/outcome.ts'
import { places } from '../state/places.ts'
import { changesOf, draftOf, errorsFrom, errorsOf } from './draft.ts'
import { DraftForm } from './draft-form.ts'

/** One edit and its result. Each gets its own object, so a late answer cannot affect another. */
interface Edit {
  /** The key as it stands, as far as is known. */
  base: WireKey
  readonly source: KeySource
}

/** The dialog that changes a key. */
export class EditForm extends DraftForm {
  readonly id = 'edit'
  /** Somebody else has changed the key meanwhile. */
  overtaken = false
  #edit: Edit | null = null

  get key(): WireKey | null {
    return this.#edit?.base ?? null
  }

  show(key: WireKey): void {
    if (this.busy) return
    this.#edit = { base: key, source: this.tab.source }
    Object.assign(this, { draft: draftOf(key), failure: null, overtaken: false })
    this.begin()
  }

  override close(): void {
    this.#edit = null
    this.busy = false
    super.close()
  }

  /** Begins anew with what somebody else has made of the key. */
  reload(): void {
    if (this.key !== null) this.show(this.key)
  }

  async submit(): Promise<void> {
    const edit = this.#edit
    if (this.busy || this.overtaken || edit === null) return
    const { current, rules } = this
    this.failure = null
    this.errors = errorsOf(current, rules)
    if (this.problemCount > 0) return this.refuse(this.errors)
    const changes = changesOf(edit.base, current, rules)
    if (Object.keys(changes).length === 0) this.close()
    else await this.#save(edit, changes)
  }

  async #save(edit: Edit, changes: UpdateKeyBody): Promise<void> {
    const { base, source } = edit
    this.setBusy(true)
    try {
      const change = this.tab.management.updateKey(base.id, base.version, changes, source.tie)
      this.#succeed(edit, await withPatience(change, () => this.#fail(edit, lostAnswer('update'))))
    } catch (error) {
      this.#explain(edit, error)
    } finally {
      if (this.#edit === edit) this.setBusy(false)
    }
  }

  /** Closes the dialog if it is about this edit; answers whether it did. */
  #finish(edit: Edit): boolean {
    const open = this.#edit === edit
    if (open) this.close()
    return open
  }

  #succeed(edit: Edit, key: WireKey): void {
    if (this.#finish(edit)) this.tab.focusOn(places.row(key.id), ...places.top)
    if (edit.source === this.tab.source) this.tab.list.replace(key)
    this.tab.announce(this.tab.locale.text('edit.done', { name: key.name }))
    this.tab.emit('api-key-updated', eventDetailOf(key))
  }

  #explain(edit: Edit, error: unknown): void {
    const { base, source } = edit
    const { issues = [], key } = error instanceof ManagementError ? error : {}
    const errors = errorsFrom(issues)
    const change = { action: 'update', name: base.name, source } as const
    const failure = explained(this.tab, error, change)
    if (failure === null) return
    if (isGone(error) && source === this.tab.source) {
      void leaveGone(this.tab, { ...change, key: base, failure }, () => this.#finish(edit))
    } else if (this.#edit === edit && codeOf(error) === 'stale' && key) this.#overtake(edit, key)
    else if (this.#edit === edit && Object.keys(errors).length > 0) this.refuse(errors, issues)
    else this.#fail(edit, failure)
  }

  /** Nothing can be saved on top of what somebody else has changed. */
  #overtake(edit: Edit, key: WireKey): void {
    edit.base = key
    this.overtaken = true
    if (edit.source === this.tab.source) this.tab.list.replace(key)
    this.tab.focusOn(places.alert)
  }

  #fail(edit: Edit, failure: Failure): void {
    if (this.#edit === edit) {
      Object.assign(this, { failure, busy: false })
      this.tab.focusOn(places.alert)
    } else this.tab.notify(lateFailure('update', edit.base.name, failure))
  }
}
