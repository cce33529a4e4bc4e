/** C0 and C1 controls, among them NUL, which PostgreSQL cannot store. */
const CONTROL = /\p{Cc}/u

/** Whether every surrogate has its partner: only such text survives UTF-8. */
export function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text)
}

/** Whether a text is fit to be an identifier or display name of the host's own. */
export function isPlainText(text: string): boolean {
  return isWellFormed(text) && !CONTROL.test(text)
}
