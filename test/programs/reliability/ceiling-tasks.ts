import { type ApiKey, ApiKeyError, type ApiKeys, type Grantable } from '../../../src/index.ts'
import type { KeyStorage } from '../../../src/storage/index.ts'
import { ADMIN, keysOn } from './bulk-tasks.ts'

/** What a member may give; the administrator adds what is not in it. */
const MEMBER: Grantable<'contacts.read'> = {
  scopes: ['contacts.read'],
  resources: { project: ['p_1', 'p_2'] },
  networks: 'any',
  environments: ['live'],
}

interface KeyPlace {
  readonly workspaceId: string
  readonly id: string
}

type Act = (keys: ApiKeys, key: KeyPlace) => Promise<ApiKey>

/** One change by the administrator, who has no ceiling, and those by which members would gain from it. */
const ACTS = {
  'add a scope': (keys, place) =>
    update(keys, place, { scopes: ['contacts.read', 'orders.write'] }),
  rotate: async (keys, place) =>
    (await keys.rotateKey({ ...place, actor: ADMIN, grantable: MEMBER })).key,
  'add an id': (keys, place) =>
    update(keys, place, { resources: { project: ['p_1', 'p_2'] } }, MEMBER),
  resume: async (keys, place) => {
    await keys.pauseKey({ ...place, actor: ADMIN })
    return keys.resumeKey({ ...place, actor: ADMIN, grantable: MEMBER })
  },
} satisfies Readonly<Record<string, Act>>

export type CeilingAct = keyof typeof ACTS
export const CEILING_ACTS = Object.keys(ACTS) as readonly CeilingAct[]

/** What came of an act: the scopes of the key as it was answered, or the code of the refusal. */
export interface ActAnswer {
  readonly scopes?: readonly string[]
  readonly code?: string
}

/** Does one of the acts to a key. */
export async function actOnKey(
  storage: KeyStorage,
  { act, ...place }: KeyPlace & { readonly act: CeilingAct },
): Promise<ActAnswer> {
  try {
    return { scopes: (await ACTS[act](keysOn(storage), place)).scopes }
  } catch (error) {
    if (error instanceof ApiKeyError) return { code: error.code }
    throw error
  }
}

async function update(
  keys: ApiKeys,
  place: KeyPlace,
  change: object,
  grantable?: Grantable<'contacts.read'>,
): Promise<ApiKey> {
  const { version } = await keys.getKey(place)
  const grant = grantable === undefined ? {} : { grantable }
  return keys.updateKey({ ...place, ...grant, actor: ADMIN, version, change })
}
