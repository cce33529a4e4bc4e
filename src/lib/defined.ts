export function defined<T extends object>(
  values: T,
): { readonly [Name in keyof T]: Exclude<T[Name], undefined> } {
  const given = Object.entries(values).filter(([, value]) => value !== undefined)
  return Object.fromEntries(given) as { readonly [Name in keyof T]: Exclude<T[Name], undefined> }
}
