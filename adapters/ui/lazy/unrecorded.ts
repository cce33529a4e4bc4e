import { Directive, type DirectiveResult, directive, type ElementPart } from 'lit/directive.js'
import { noChange } from 'lit/html.js'

const classes = ['ph-no-capture', 'fs-exclude', 'sentry-block', 'clarity-mask', 'rr-block']

const attributes: Readonly<Record<string, string>> = {
  'data-sentry-block': '',
  'data-private': '',
  'data-dd-privacy': 'hidden',
  'data-clarity-mask': 'true',
  'data-hj-suppress': '',
  translate: 'no',
  spellcheck: 'false',
}

class Unrecorded extends Directive {
  #marked = false

  override render(): typeof noChange {
    return noChange
  }

  override update({ element }: ElementPart): typeof noChange {
    if (!this.#marked) {
      element.classList.add(...classes)
      for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value)
    }
    this.#marked = true
    return noChange
  }
}

/** Marks an element that shows a secret, so that session replay, translation and spell checks skip it. */
export const unrecorded: () => DirectiveResult = directive(Unrecorded)
