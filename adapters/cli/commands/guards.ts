import { unknownName } from '../../../src/lib/known-names.ts'
import { type Call, within } from '../command.ts'
import { checked, UsageError } from '../errors.ts'

const CURE = "give the application's --config, or --force to do it all the same"

/** Throws for a scope that the catalogue lacks. Without a config it has those of the package alone. */
export function checkScopes({ values, keys, config }: Call): void {
  const { scopes } = keys.catalogue
  const foreign = values.scope?.find((scope) => !keys.catalogue.has(scope))
  if (foreign === undefined) return
  const wrong = config?.catalogue ? 'There is no scope' : `${WITHOUT_CATALOGUE} there is no scope`
  throw new UsageError(unknownName(wrong, foreign, scopes))
}

const WITHOUT_CATALOGUE = "Without the catalogue in the application's --config"

/** Throws when the replacement of a key would be of another brand, or would lose scopes. */
export async function checkRotation(call: Call): Promise<void> {
  const { argument: id, values, workspaceId, database, keys, config } = call
  if (values.force) return
  // From the storage itself: an `ApiKey` has only the scopes that the catalogue has.
  const query = { workspaceId, ids: [id], eventIds: [], countAtMs: null, countUpTo: null }
  const view = await database.storage.read(query, within(5_000))
  const key = view.keys[0]?.record
  if (key === undefined) return
  if (key.format === null) checkBrand(call, key.prefix)
  else if (!config?.formats?.some((format) => format.id === key.format)) {
    throw new UsageError(`The key has the unknown format ${key.format}: ${CURE}.`)
  }
  const lost = key.scopes.filter((scope) => !keys.catalogue.has(scope))
  if (lost.length > 0) throw new UsageError(`The new key would lose ${lost.join(', ')}: ${CURE}.`)
}

/** Throws when nobody has named a brand, and the newest key of the workspace has another. */
export async function checkCreation(call: Call): Promise<void> {
  const { values, workspaceId, keys, config } = call
  if (values.force || config?.brand !== undefined) return
  const page = await checked(() => keys.listKeys({ workspaceId, limit: 200 }))
  const newest = page.keys.find(({ format }) => format === null)
  if (newest !== undefined) checkBrand(call, newest.prefix)
}

function checkBrand({ keys: { brand } }: Call, prefix: string): void {
  if (prefix.startsWith(`${brand}_`)) return
  const [other] = prefix.split('_')
  throw new UsageError(`The new key would begin with ${brand}_ instead of ${other}_: ${CURE}.`)
}
