/** Marks a template as a style sheet, for editors and for the build that shrinks it. */
export const css = String.raw

/**
 * A sheet in which a `rem` is the font size of the tab, `--apikeys-font-size`, whatever that of the page
 * is. Conditions of containers know no variables: they are written in `em`.
 */
export function inFontSize(sheet: string): string {
  return sheet.replace(/(-?[\d.]+)rem\b/g, 'calc($1 * var(--_rem))')
}
