import { directionOf } from './locale.ts'

/** The language of an element: its own, the nearest around it, or English. */
export function languageOf(element: Element): string {
  return nearest(element, 'lang') || 'en'
}

/**
 * The direction of an element. A `dir` of its own wins, then the direction of its own language; one
 * that inherits its language inherits its direction too, and without any follows the language.
 */
export function directionFor(element: Element): 'ltr' | 'rtl' {
  const own = element.getAttribute('dir')
  const inherited = element.hasAttribute('lang') ? own : nearest(element, 'dir')
  return inherited === 'ltr' || inherited === 'rtl' ? inherited : directionOf(languageOf(element))
}

// closest() stops at the shadow root, languages do not.
function nearest(element: Element, attribute: 'lang' | 'dir'): string {
  const holder = element.closest(`[${attribute}]`)
  if (holder !== null) return holder.getAttribute(attribute) ?? ''
  const root = element.getRootNode()
  return root instanceof ShadowRoot ? nearest(root.host, attribute) : ''
}
