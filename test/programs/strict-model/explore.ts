import { type Bug, Rules } from './rules.ts'
import { type Bounds, State } from './state.ts'

/** What an exploration has found. */
export interface Exploration {
  readonly states: number
  readonly transitions: number
  /** The steps of a shortest run that breaks the guarantee, or `null`. */
  readonly violation: readonly string[] | null
}

/** The step by which a state was first reached, and the one before it. */
interface Trace {
  readonly from: Trace | null
  readonly step: string
}

/** A state whose steps are still to be taken. */
interface Visit {
  readonly state: State
  readonly trace: Trace | null
}

/** Visits every state within the bounds, nearest first, until one breaks the guarantee. */
export function explore(bounds: Bounds, bug: Bug | null = null): Exploration {
  const rules = new Rules(bounds, bug)
  const first = State.initial(bounds)
  const known = new Set([first.key])
  let transitions = 0
  let violation: Trace | null = null
  let level: Visit[] = [{ state: first, trace: null }]
  while (level.length > 0 && violation === null) {
    const next: Visit[] = []
    for (const { state: before, trace: from } of level) {
      rules.steps(before, (state, name, at) => {
        transitions += 1
        const key = state.key
        if (known.has(key)) return
        known.add(key)
        const trace = { from, step: at === 0 ? name : `${name} (${at})` }
        if (rules.isViolated(state)) violation ??= trace
        next.push({ state, trace })
      })
    }
    level = next
  }
  return { states: known.size, transitions, violation: stepsOf(violation) }
}

function stepsOf(last: Trace | null): readonly string[] | null {
  if (last === null) return null
  const steps: string[] = []
  for (let trace: Trace | null = last; trace !== null; trace = trace.from) steps.push(trace.step)
  return steps.reverse()
}
