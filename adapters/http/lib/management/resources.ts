import { refuseUnknown, unknownName } from '../../../../src/lib/known-names.ts'
import type {
  CheckedContext,
  ManagementContext,
  NamedResource,
  ResourcePage,
  ResourceSource,
} from './call.ts'
import type { WireResourceQuery } from './wire/requests.ts'

/** The most ids or resources in one call. */
const MOST = 100

/** The host's resources by type. Throws a `TypeError` for a type that is not defined, or without functions. */
export function sourcesIn(
  resources: Readonly<Record<string, ResourceSource>> = {},
  types: readonly string[],
): ReadonlyMap<string, ResourceSource> {
  const sources = new Map(Object.entries(resources))
  for (const [type, source] of sources) {
    if (!types.includes(type)) {
      throw new TypeError(unknownName('manageKeys: option "resources" has no type', type, types))
    }
    if (typeof source?.search !== 'function' || typeof source.name !== 'function') {
      throw new TypeError(`manageKeys: "resources.${type}" needs the functions search and name.`)
    }
  }
  return sources
}

/** A page of resources, or those with some ids. Throws a `TypeError` for an invalid answer. */
export async function readResources(
  source: ResourceSource,
  session: CheckedContext,
  { search = '', id, cursor }: WireResourceQuery,
): Promise<ResourcePage> {
  const known: ManagementContext = {
    workspaceId: session.workspaceId,
    user: session.user,
    allowedOperations: session.allowedOperations,
    ...session.grant,
    ...(session.seesOwn && { visible: 'own' }),
  }
  if (id === undefined) return pageIn(await source.search(known, search, cursor ?? null))
  const ids = [id].flat().slice(0, MOST)
  const named = listIn(await source.name(known, ids))
  return { resources: named.filter((one) => ids.includes(one.id)), nextCursor: null }
}

function pageIn(answer: ResourcePage): ResourcePage {
  const { resources, nextCursor } = Object(answer) as Partial<ResourcePage>
  refuseUnknown(Object(answer), ['resources', 'nextCursor'], `${ANSWER} has no member`)
  if (nextCursor !== null && typeof nextCursor !== 'string') throw badAnswer()
  return { resources: listIn(resources), nextCursor }
}

function listIn(answer: unknown): readonly NamedResource[] {
  if (!Array.isArray(answer)) throw badAnswer()
  return answer.map((one) => {
    const { id, name } = Object(one) as Partial<NamedResource>
    if (typeof id === 'string' && typeof name === 'string') return { id, name }
    refuseUnknown(Object(one), ['id', 'name'], `${ANSWER} has a resource with`)
    throw badAnswer()
  })
}

const ANSWER = 'manageKeys: the answer of a function of "resources"'

function badAnswer(): TypeError {
  return new TypeError(`${ANSWER} is something else than resources.`)
}
