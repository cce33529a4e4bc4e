/** What a glob of the parts fits: they know `*`, `**` and `{a,b}`. */
export function patternOf(glob: string): RegExp {
  const source = glob
    .replaceAll('.', '\\.')
    .replaceAll(/\{([^}]*)\}/g, (_, words: string) => `(?:${words.replaceAll(',', '|')})`)
    .replaceAll(/\*\*\/|\*/g, (star) => (star === '*' ? '[^/]*' : '(?:.*/)?'))
  return new RegExp(`^${source}$`)
}
