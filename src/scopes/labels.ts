/**
 * A text in at least one of the languages of a settings page, by language tag (`ar`, `pt-BR`). A page in
 * another language shows the English text, or else the first.
 */
export interface Labels {
  readonly [language: string]: string
}

/** A frozen copy of labels. Throws a `TypeError` that says `where` they are wrong. */
export function copyLabels(label: Labels, where: string): Labels {
  if (typeof label === 'string' || Array.isArray(label)) {
    throw new TypeError(
      `${where} must have its label by language, such as { en: 'Read invoices' }.`,
    )
  }
  const texts = { ...label }
  const languages = Object.keys(texts)
  if (languages.length === 0) throw new TypeError(`${where} has no label.`)
  const empty = languages.find((language) => !isText(texts[language]))
  if (empty !== undefined) throw new TypeError(`${where} has no text for "${empty}".`)
  return Object.freeze(texts)
}

function isText(label: unknown): boolean {
  return typeof label === 'string' && label.trim() !== ''
}
