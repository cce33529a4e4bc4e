import { type Bug, Rules } from './rules.ts'
import { type Bounds, State } from './state.ts'

/** What an exploration has found. */
export interface Exploration {
  readonly states: number
  readonly transitions: number
  /** The steps of a shortest run that breaks the guarantee, or `null`. */
  readonly violation: readonly string[] | null
}

/** A state and how it was first reached. */
interface Visit {
  readonly state: State
  readonly from: Visit | null
  readonly step: string
}

/** Visits every state within the bounds, nearest first, until one breaks the guarantee. */
export function explore(bounds: Bounds, bug: Bug | null = null): Exploration {
  const rules = new Rules(bounds, bug)
  const first = State.initial(bounds)
  const known = new Set([first.key])
  let transitions = 0
  let violation: Visit | null = null
  let level: Visit[] = [{ state: first, from: null, step: '' }]
  while (level.length > 0 && violation === null) {
    const next: Visit[] = []
    for (const visit of level) {
      rules.steps(visit.state, (state, name, at) => {
        transitions += 1
        const key = state.key
        if (known.has(key)) return
        known.add(key)
        const reached = { state, from: visit, step: at === 0 ? name : `${name} (${at})` }
        if (rules.isViolated(state)) violation ??= reached
        next.push(reached)
      })
    }
    level = next
  }
  return { states: known.size, transitions, violation: traceOf(violation) }
}

function traceOf(last: Visit | null): readonly string[] | null {
  if (last === null) return null
  const steps: string[] = []
  for (let visit = last; visit.from !== null; visit = visit.from) steps.push(visit.step)
  return steps.reverse()
}
