import type { ApiKeyEvent } from './events/api-key-event.ts'
import type { EntitlementsOf } from './plans/entitlements.ts'
import type { ScopeCatalogue } from './scopes/catalogue.ts'
import { type DefaultScope, defaultCatalogue } from './scopes/default-catalogue.ts'
import type { KeyStorage } from './storage/contract.ts'

/** How {@link createApiKeys} is set up. Copied at construction; later changes have no effect. */
export interface ApiKeysOptions<S extends string = DefaultScope> {
  /** Where keys live. There is no default: a key that a restart forgets helps nobody. */
  readonly storage: KeyStorage
  /** The host's function that tells what a workspace's plan allows; it may be async. */
  readonly entitlements: EntitlementsOf
  /** The scopes on offer. Default: {@link defaultCatalogue}, 24 scopes in 11 groups. */
  readonly catalogue?: ScopeCatalogue<S>
  /** The first word of every secret: a lower-case letter and 1 to 3 letters or digits. Default `svc`. */
  readonly brand?: string
  /** How often counted uses are written, in milliseconds. Default 1,000. */
  readonly usageFlushMs?: number
  /** For how long an answer of `entitlements` is remembered, in milliseconds. Default 60,000; 0 asks always. */
  readonly entitlementsTtlMs?: number
  /** After how long an unanswered storage call fails, in milliseconds. Default 5,000. */
  readonly storageTimeoutMs?: number
  /**
   * Told of every change, refused request and fault in this process, after the fact. It receives no
   * secret and no hash. What it throws is ignored, and it is not waited for.
   */
  readonly onEvent?: (event: ApiKeyEvent<S>) => void
  /** The clock. Default: the system's. */
  readonly now?: () => Date
}

/** Checked options with their defaults filled in. */
export interface Settings<S extends string> {
  readonly storage: KeyStorage
  readonly entitlements: EntitlementsOf
  readonly catalogue: ScopeCatalogue<S>
  readonly brand: string
  readonly usageFlushMs: number
  readonly entitlementsTtlMs: number
  readonly storageTimeoutMs: number
  readonly onEvent: ((event: ApiKeyEvent<S>) => void) | null
  readonly nowMs: () => number
}

const BRAND = /^[a-z][a-z0-9]{1,3}$/
/** setTimeout counts in a signed 32-bit number and fires at once beyond it. */
const MAX_DELAY_MS = 2 ** 31 - 1

const KNOWN: Readonly<Record<keyof ApiKeysOptions, true>> = {
  storage: true,
  entitlements: true,
  catalogue: true,
  brand: true,
  usageFlushMs: true,
  entitlementsTtlMs: true,
  storageTimeoutMs: true,
  onEvent: true,
  now: true,
}

const VERBS: readonly (keyof KeyStorage)[] = [
  'insert',
  'findByHash',
  'findById',
  'list',
  'rotate',
  'revoke',
  'addUses',
  'events',
  'claimEvents',
  'settleEvents',
]

/** Throws a `TypeError` that names the option at fault. */
export function checkOptions<S extends string>(options: ApiKeysOptions<S>): Settings<S> {
  demand(typeof options === 'object' && options !== null, 'options must be an object.')
  for (const name of Object.keys(options)) {
    demand(Object.hasOwn(KNOWN, name), `there is no option "${name}".`)
  }
  const { storage, entitlements, brand = 'svc', onEvent, now } = options
  for (const verb of VERBS) {
    demand(typeof storage?.[verb] === 'function', `option "storage" has no method ${verb}.`)
  }
  demand(typeof entitlements === 'function', 'option "entitlements" must be a function.')
  demand(
    typeof brand === 'string' && BRAND.test(brand),
    'option "brand" must be a lower-case letter and 1 to 3 lower-case letters or digits.',
  )
  demandFunction('onEvent', onEvent)
  demandFunction('now', now)
  return {
    storage,
    entitlements,
    catalogue: catalogueOf(options),
    brand,
    ...delays(options),
    onEvent: silenced(onEvent),
    nowMs: now === undefined ? Date.now : () => now().getTime(),
  }
}

function catalogueOf<S extends string>({ catalogue }: ApiKeysOptions<S>): ScopeCatalogue<S> {
  // Without a catalogue S is inferred as DefaultScope, which the compiler cannot see here.
  if (catalogue === undefined) return defaultCatalogue as unknown as ScopeCatalogue<S>
  demand(
    typeof catalogue?.has === 'function' && Array.isArray(catalogue.scopes),
    'option "catalogue" must come from defineScopes or pickScopes.',
  )
  return catalogue
}

function delays<S extends string>(options: ApiKeysOptions<S>) {
  return {
    usageFlushMs: delay('usageFlushMs', options.usageFlushMs ?? 1_000, 1),
    entitlementsTtlMs: delay('entitlementsTtlMs', options.entitlementsTtlMs ?? 60_000, 0),
    storageTimeoutMs: delay('storageTimeoutMs', options.storageTimeoutMs ?? 5_000, 1),
  }
}

function delay(name: string, value: unknown, least: number): number {
  const sane = typeof value === 'number' && value >= least && value <= MAX_DELAY_MS
  demand(sane, `option "${name}" must be ${least} to ${MAX_DELAY_MS} milliseconds.`)
  return value as number
}

function demandFunction(name: string, value: unknown): void {
  demand(value === undefined || typeof value === 'function', `option "${name}" must be a function.`)
}

/** A tap that throws or rejects must not turn a change that happened into an error. */
function silenced<E>(tap: ((event: E) => void) | undefined): ((event: E) => void) | null {
  if (tap === undefined) return null
  return (event) => {
    try {
      // An async function passes for one that returns nothing.
      Promise.resolve<unknown>(tap(event)).catch(() => {})
    } catch {}
  }
}

function demand(holds: boolean, message: string): void {
  if (!holds) throw new TypeError(`createApiKeys: ${message}`)
}
