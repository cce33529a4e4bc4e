/** What goes wrong in a round. */
export const KINDS = [
  'clean',
  'hints lost',
  'stopped',
  'stopped for a moment',
  'killed',
  'connections cut',
  'black hole',
  'server restarted',
  'evicted while stopped',
] as const

export type Kind = (typeof KINDS)[number]

/** What a fault does after it has begun. */
interface Fault {
  /** While the revocation is under way. */
  readonly midway?: () => Promise<void>
  /** Once all processes were asked; their answers may still be on the way. */
  readonly after: (answers: readonly Promise<unknown>[]) => Promise<void>
}

/** Begins each kind of fault. */
export type Faults = Readonly<Record<Kind, () => Promise<Fault>>>
