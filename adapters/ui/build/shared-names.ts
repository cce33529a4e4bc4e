import { readdir, readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'

const importLine = /^import \{([^}]*)\} from '([^']+)'/gm

/** What the modules of a folder import from outside of it, each at its place in a list. */
export class SharedNames {
  readonly #places = new Map<string, Map<string, number>>()
  /** How long the list is. */
  size = 0

  static async of(folder: string): Promise<SharedNames> {
    const found = new SharedNames()
    for (const file of (await readdir(folder)).sort()) {
      found.#read(resolve(folder, file), await readFile(resolve(folder, file), 'utf8'), folder)
    }
    return found
  }

  /** The modules outside, packages by their names. */
  get modules(): readonly string[] {
    return [...this.#places.keys()]
  }

  /** What is imported from a module, and where it is in the list. */
  placesOf(module: string): readonly (readonly [name: string, at: number])[] {
    return [...(this.#places.get(module) ?? [])]
  }

  #read(file: string, source: string, folder: string): void {
    for (const [, names = '', path = ''] of source.matchAll(importLine)) {
      const module = path.startsWith('.') ? resolve(dirname(file), path) : path
      if (module.startsWith(folder)) continue
      for (const name of names.split(',').map((one) => one.trim())) this.#add(module, name)
    }
  }

  #add(module: string, name: string): void {
    if (name === '' || name.startsWith('type ')) return
    const places = this.#places.get(module) ?? new Map<string, number>()
    this.#places.set(module, places)
    if (!places.has(name)) places.set(name, this.size++)
  }
}
