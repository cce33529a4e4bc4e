/** Marks a template as a style sheet, for editors and for the build that shrinks it. */
export const css = String.raw
