/** One recipe of the guide. */
export interface Recipe {
  readonly name: string
  readonly code: string
}

const FENCE = /^```typescript recipe=(\S+)\n([\s\S]*?)^```$/gm

/** Every recipe of a guide; the house type-checks no fence of `typescript`, whose packages are not there. */
export function recipesIn(guide: string): readonly Recipe[] {
  const found = [...guide.matchAll(FENCE)]
  if (found.length === 0) throw new Error('the guide has no recipe')
  return found.map(([, name = '', code = '']) => ({ name, code }))
}
