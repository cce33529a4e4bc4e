/** Makes something from a list once, and anew for each call where the list is not frozen and could change. */
export function rememberedFor<T extends object, V>(make: (list: T) => V): (list: T) => V {
  const remembered = new WeakMap<T, V>()
  return (list) => {
    const known = remembered.get(list)
    if (known !== undefined) return known
    const made = make(list)
    if (Object.isFrozen(list)) remembered.set(list, made)
    return made
  }
}
