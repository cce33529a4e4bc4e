/** The database of the example, here in memory. */

/** What a transaction reads and writes. `Tables` has the type of the documents of each collection. */
export interface Transaction<Tables> {
  /** The document of a collection with this id. */
  get<Name extends keyof Tables>(name: Name, id: string): Promise<Tables[Name] | undefined>
  /** The documents of a collection that have these values in these fields. */
  find<Name extends keyof Tables>(
    name: Name,
    fields: Partial<Tables[Name]>,
  ): Promise<Tables[Name][]>
  put<Name extends keyof Tables>(name: Name, id: string, document: Tables[Name]): void
  remove(name: keyof Tables, id: string): void
}

export interface Documents<Tables> {
  /** Runs `work`, and once more if anything that it read has changed before what it wrote is stored. */
  transaction<T>(work: (documents: Transaction<Tables>) => Promise<T>): Promise<T>
}

export function openDocuments<Tables>(): Documents<Tables> {
  const collections = new Map<keyof Tables, Map<string, string>>()
  const versions = new Map<string, number>()
  const inside = (name: keyof Tables) => {
    const collection = collections.get(name) ?? new Map<string, string>()
    collections.set(name, collection)
    return collection
  }
  const attempt = async <T>(work: (documents: Transaction<Tables>) => Promise<T>) => {
    const read = new Map<string, number>()
    const written: (readonly [name: keyof Tables, id: string, json: string | null])[] = []
    const note = (name: string) => read.set(name, read.get(name) ?? versions.get(name) ?? 0)
    const answer = await work({
      get: async (collection, id) => {
        note(JSON.stringify([collection, id]))
        const json = inside(collection).get(id)
        return json === undefined ? undefined : JSON.parse(json)
      },
      find: async (collection, fields) => {
        note(String(collection))
        const all = Array.from(inside(collection).values(), (json) => JSON.parse(json))
        const wanted = Object.entries(fields)
        return all.filter((document) => wanted.every(([name, value]) => document[name] === value))
      },
      put: (collection, id, document) =>
        void written.push([collection, id, JSON.stringify(document)]),
      remove: (collection, id) => void written.push([collection, id, null]),
    })
    if ([...read].some(([name, version]) => version !== (versions.get(name) ?? 0))) return null
    for (const [collection, id, json] of written) {
      if (json === null) inside(collection).delete(id)
      else inside(collection).set(id, json)
      for (const name of [String(collection), JSON.stringify([collection, id])]) {
        versions.set(name, (versions.get(name) ?? 0) + 1)
      }
    }
    return { answer }
  }
  return {
    transaction: async (work) => {
      for (;;) {
        const done = await attempt(work)
        if (done !== null) return done.answer
      }
    },
  }
}
