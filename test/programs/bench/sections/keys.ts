import { type ApiKeys, type ApiKeysOptions, createApiKeys, plans } from 'miftah'
import type { KeyFields } from 'miftah/http'
import type { KeyStorage } from 'miftah/storage'

/** The scope that every measured request needs; each key holds three. */
export const SCOPE = 'contacts.read'
export const SCOPES = ['contacts.read', 'contacts.write', 'messages.send'] as const

/** The token of the resource server that introspects. */
export const RESOURCE_SERVER = 'r'.repeat(40)
const KEYS_PER_WORKSPACE = 10

/** Keys as a host has them: default settings, every plan allowed to use the API. */
export function apiKeys(
  storage: KeyStorage,
  options: Pick<ApiKeysOptions, 'usageHistory' | 'limiter' | 'resources'> = {},
): ApiKeys {
  return createApiKeys({ storage, entitlements: () => plans.enterprise, ...options })
}

/** The workspace of the key with this number. */
export function workspaceOf(number: number): string {
  return `ws_${Math.floor(number / KEYS_PER_WORKSPACE)}`
}

/** Creates `count` keys, ten to a workspace, and answers their secrets. */
export async function issueKeys(
  keys: ApiKeys,
  count: number,
  restrictions: Pick<KeyFields, 'resources' | 'networks'> = {},
): Promise<Texts> {
  const secrets = new Texts(count)
  for (let number = 0; number < count; number += 1) {
    const { secret } = await keys.createKey({
      workspaceId: workspaceOf(number),
      creator: { id: 'u_1', name: 'نورة' },
      name: `Key ${number}`,
      environment: 'live',
      scopes: [...SCOPES],
      ...restrictions,
    })
    secrets.set(number, secret)
  }
  return secrets
}

/** All uses that the storage has, once what was counted has been flushed. */
export async function storedUses(keys: ApiKeys, count: number): Promise<number> {
  await keys.flush()
  let uses = 0
  for (let number = 0; number < count; number += KEYS_PER_WORKSPACE) {
    const page = await keys.listKeys({ workspaceId: workspaceOf(number) })
    for (const key of page.keys) uses += key.uses
  }
  return uses
}

/**
 * Texts of one length outside the JavaScript heap. Each read makes a new string, as a request does:
 * a repeated literal would carry its hash code along.
 */
export class Texts {
  readonly count: number
  #bytes = Buffer.alloc(0)
  #length = 0

  constructor(count: number) {
    this.count = count
  }

  set(index: number, text: string): void {
    if (this.#length === 0) {
      this.#length = text.length
      this.#bytes = Buffer.alloc(this.count * text.length)
    }
    this.#bytes.write(text, index * this.#length, 'latin1')
  }

  get(index: number): string {
    return this.#bytes.toString('latin1', index * this.#length, (index + 1) * this.#length)
  }

  /** The text with something before it, as one flat new string. */
  headers(prefix = 'Bearer '): Texts {
    const headers = new Texts(this.count)
    for (let index = 0; index < this.count; index += 1) {
      headers.set(index, prefix + this.get(index))
    }
    return headers
  }

  /** All of them, as new strings. */
  all(): string[] {
    return Array.from({ length: this.count }, (_, index) => this.get(index))
  }

  /** New strings, drawn at random. */
  draw(count: number): string[] {
    return Array.from({ length: count }, () => this.get(Math.floor(Math.random() * this.count)))
  }
}
