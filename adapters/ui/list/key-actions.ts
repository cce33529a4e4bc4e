import { html, nothing, type TemplateResult } from 'lit'
import type { WireKey } from '../../client/index.ts'
import type { Context } from '../context.ts'

/** Whether a key can be changed and rotated: one that is neither ending nor has ended. */
export function isChangeable({ status }: WireKey): boolean {
  return status === 'active' || status === 'paused'
}

/** What can be done with a key beside its buttons. */
export function itemsOf({ list, may }: Context, key: WireKey) {
  const resumes = key.status === 'paused' && !list.locked && key.withinGrant !== false
  const offered = {
    edit: isChangeable(key) && may('update'),
    pause: key.status === 'active' && may('pause'),
    resume: resumes && may('resume'),
  }
  return (['edit', 'pause', 'resume'] as const).filter((item) => offered[item])
}

/** Rotate and Revoke, or Stop now: in the row of a key and in its details. */
export function keyButtons(context: Context, key: WireKey): readonly TemplateResult[] {
  const { list, may } = context
  const rotates = isChangeable(key) && !list.locked && may('rotate')
  const revokes = key.status !== 'revoked' && may('revoke')
  const revoke = key.status === 'retiring' ? 'stop' : 'revoke'
  return [
    ...(rotates ? [button(context, key, 'rotate')] : []),
    ...(revokes ? [button(context, key, revoke)] : []),
  ]
}

function button({ locale, shell }: Context, key: WireKey, word: 'rotate' | 'revoke' | 'stop') {
  const barred = word === 'rotate' && key.withinGrant === false
  const ask = () => shell.open(word === 'rotate' ? 'rotate' : 'revoke', key)
  return html`<button part="${word}-button" class=${word === 'rotate' ? 'quiet' : 'quiet danger'}
      type="button" aria-haspopup="dialog"
      aria-label=${locale.text(`${word}.sr`, { name: key.name })}
      aria-disabled=${barred ? 'true' : nothing}
      title=${barred ? locale.text('grant.key') : nothing} @click=${() => barred || ask()}>
    ${locale.text(word)}
  </button>`
}
