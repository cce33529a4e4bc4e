/**
 * A `Date` that refuses to be changed, so that one object can serve many callers. In all else it is an
 * ordinary one: copies of it, such as `new Date(date)`, can be changed.
 */
class FixedDate extends Date {
  static {
    // Libraries copy a date by its constructor, and their copies are theirs to change.
    Object.defineProperty(FixedDate.prototype, 'constructor', { value: Date })
    const names = Object.getOwnPropertyNames(Date.prototype)
    for (const name of names.filter((own) => own.startsWith('set'))) {
      Object.defineProperty(FixedDate.prototype, name, { value: refuse })
    }
  }
}

function refuse(): never {
  throw new TypeError('The dates of a key cannot be changed: make a copy with new Date(date).')
}

/** A date of this instant, in milliseconds since the epoch, that cannot be moved. */
export function fixedDate(atMs: number): Date {
  return new FixedDate(atMs)
}
