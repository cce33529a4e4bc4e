import type { ScopesAnswer, WireScopeGroup } from '../../client/index.ts'
import type { Host } from './host.ts'

/** The scopes that a key may carry, as the server or the page told them. */
export class ScopeCatalogue {
  groups: readonly WireScopeGroup[] | null = null
  failed = false
  readonly #host: Host
  #reading: AbortController | null = null

  constructor(host: Host) {
    this.#host = host
  }

  /** Takes the page's own catalogue, or asks the server unless that was done. */
  async load(given: ScopesAnswer | null): Promise<void> {
    if (given !== null) this.groups = given.groups
    if (this.groups !== null || this.#reading !== null) return
    const reading = new AbortController()
    this.#reading = reading
    this.failed = false
    try {
      const { groups } = await this.#host.management.listScopes({ signal: reading.signal })
      this.groups = groups
    } catch {
      this.failed = !reading.signal.aborted
    } finally {
      if (this.#reading === reading) this.#reading = null
      this.#host.requestUpdate()
    }
  }

  stop(): void {
    this.#reading?.abort()
    this.#reading = null
  }

  /** Every scope, in the order of the catalogue. */
  get all(): readonly string[] {
    return (this.groups ?? []).flatMap(scopesOf)
  }

  /** The scopes that only read. */
  get readOnly(): readonly string[] {
    return this.all.filter((scope) => scope.endsWith('.read'))
  }

  /** The label of a scope in every language, when it is in the catalogue. */
  labelOf(scope: string): Readonly<Record<string, string>> | undefined {
    return this.groups?.flatMap(({ scopes }) => scopes).find((one) => one.scope === scope)?.label
  }
}

/** The scopes of one group. */
export function scopesOf(group: WireScopeGroup): readonly string[] {
  return group.scopes.map(({ scope }) => scope)
}
