import type { ScopesAnswer, WireResourceType, WireScopeGroup } from '../../client/index.ts'
import { codeOf } from './failure.ts'
import { fieldsOf, isText } from './fields.ts'
import type { Tab } from './tab.ts'

/** The scopes that a key may carry, as the server gave them. */
export class ScopeCatalogue {
  groups: readonly WireScopeGroup[] | null = null
  /** The types of resources that a key can be restricted in. */
  types: readonly WireResourceType[] = []
  /** What the secrets of the host begin with; `''` while nobody has said so. */
  brand = ''
  failed = false
  readonly #tab: Tab
  #reading: AbortController | null = null

  constructor(tab: Tab) {
    this.#tab = tab
  }

  /** Asks the server unless that was done. */
  async load(): Promise<void> {
    if (this.groups === null) await this.reload()
  }

  /** Asks the server, whose scopes have changed; those that are known stay until it answers. */
  async reload(): Promise<void> {
    if (this.#reading !== null || !this.#tab.isConnected) return
    const reading = new AbortController()
    this.#reading = reading
    this.failed = false
    try {
      const { signal } = reading
      const { tie } = this.#tab.source
      const answer = await this.#tab.management.listScopes({ signal, ...tie })
      if (this.#reading === reading) this.#show(answer)
    } catch (error) {
      if (this.#reading === reading) this.#fail(error)
    } finally {
      if (this.#reading === reading) this.#reading = null
      this.#tab.requestUpdate()
    }
  }

  /** Forgets the scopes: those of another place may differ. */
  reset(): void {
    this.stop()
    this.#show(null)
    this.failed = false
  }

  #show(answer: ScopesAnswer | null): void {
    this.groups = answer?.groups ?? null
    this.types = (answer?.resources ?? []).filter(isType)
    this.brand = isText(answer?.brand) ? answer.brand : ''
  }

  stop(): void {
    this.#reading?.abort()
    this.#reading = null
  }

  #fail(error: unknown): void {
    this.failed = true
    if (codeOf(error) === 'unauthenticated') this.#tab.expireSession()
    if (codeOf(error) === 'workspace_changed' && this.#tab.source.workspaceId !== null) {
      this.#tab.changeWorkspace()
    }
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

function isType(row: unknown): boolean {
  const { type, label } = fieldsOf(row)
  const isLabel = typeof label === 'object' && label !== null
  return isText(type) && isLabel && Object.values(label).every(isText)
}
