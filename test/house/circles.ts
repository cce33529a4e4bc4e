/** One import: the file that has it, and the file that it names. */
type Edge = readonly [from: string, to: string]

/** The groups of files that reach each other through imports, the largest first. */
export function circlesOf(edges: readonly Edge[]): readonly (readonly string[])[] {
  const targets = new Map<string, string[]>()
  for (const [from, to] of edges) targets.set(from, [...(targets.get(from) ?? []), to])
  const reached = new Map([...targets.keys()].map((file) => [file, reachableFrom(file, targets)]))
  const circles = new Map<string, readonly string[]>()
  for (const [file, others] of reached) {
    if (!others.has(file)) continue
    const circle = [...others].filter((other) => reached.get(other)?.has(file)).sort()
    circles.set(circle.join(), circle)
  }
  return [...circles.values()].sort((a, b) => b.length - a.length)
}

function reachableFrom(
  start: string,
  targets: ReadonlyMap<string, readonly string[]>,
): ReadonlySet<string> {
  const found = new Set<string>()
  const open = [start]
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    for (const target of targets.get(file) ?? []) {
      if (found.has(target)) continue
      found.add(target)
      open.push(target)
    }
  }
  return found
}
