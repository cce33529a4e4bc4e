import { integerIn, optionalIntegerIn, rowFrom } from '../row.ts'
import { find, type Item, isSame, itemsOf } from './rows.ts'
import { type Tables, UNITS, type Unit } from './tables.ts'
import { type Change, erase, write } from './write.ts'

/** The databases of a copy. */
export interface Sides {
  readonly source: Tables
  readonly target: Tables
}

/** Which items of a unit differ: new or changed in the source, or gone from it. */
export interface Difference {
  readonly unit: Unit
  readonly changed: readonly string[]
  readonly gone: readonly string[]
}

/** How much of a unit was written to the target and deleted from it. */
export interface Written {
  readonly unit: Unit
  readonly copied: number
  readonly deleted: number
}

/** The target holds what is not of an earlier copy of the source. Nothing was written. */
export class NotACopy extends Error {}

/**
 * Makes the target equal to the source, and answers what it has written and deleted. Every transaction leaves
 * the target a part of a copy, so that a later call goes on from whatever stopped this one. Throws
 * {@link NotACopy} if the target has keys of its own or has changed by itself.
 */
export async function copy(sides: Sides): Promise<readonly Written[]> {
  const { source, target } = sides
  await checkTarget(sides)
  const places = await Places.after(target)
  const done: Written[] = []
  for (const unit of UNITS) {
    let [copied, deleted] = [0, 0]
    for await (const items of changedItems(sides, unit)) {
      await write(target, unit, await places.give(target, unit, items))
      copied += items.length
    }
    for await (const items of goneItems(sides, unit)) {
      await erase(target, unit, items)
      deleted += items.length
    }
    done.push({ unit, copied, deleted })
  }
  await copyFirstHour(source, target)
  await target.change(async ({ run }) => {
    for (const sql of target.finish(places.next)) await run(sql)
  })
  return done
}

/** What differs now. Changes nothing; throws as {@link copy} does. */
export async function compare(sides: Sides): Promise<readonly Difference[]> {
  await checkTarget(sides)
  const found: Difference[] = []
  for (const unit of UNITS) {
    const changed: string[] = []
    for await (const items of changedItems(sides, unit)) {
      changed.push(...items.map(({ item }) => item.id))
    }
    const gone: string[] = []
    for await (const items of goneItems(sides, unit)) gone.push(...items.map(({ id }) => id))
    found.push({ unit, changed, gone })
  }
  return found
}

/** The items of the source that are not the same in the target. */
async function* changedItems({ source, target }: Sides, unit: Unit) {
  for await (const items of itemsOf(source, unit)) {
    const ids = items.map(({ id }) => id)
    const known = await find(target, unit, ids)
    const changed = items.filter((item) => !isSame(item, known.get(item.id)))
    if (changed.length > 0) yield changed.map((item) => ({ item, known: known.get(item.id) }))
  }
}

/** The items of the target that the source does not have. Rows of workspaces stay for good. */
async function* goneItems({ source, target }: Sides, unit: Unit) {
  if (unit === 'workspaces') return
  for await (const items of itemsOf(target, unit)) {
    const ids = items.map(({ id }) => id)
    const there = await find(source, unit, ids)
    const gone = items.filter(({ id }) => !there.has(id))
    if (gone.length > 0) yield gone
  }
}

/** A key or an event leaves the source only by a purge, which leaves a note, or with its workspace. */
async function checkTarget(sides: Sides): Promise<void> {
  for await (const items of itemsOf(sides.target, 'keys')) await checkKeys(sides.source, items)
  for (const unit of ['keys', 'events', 'purged keys', 'purged events'] as const) {
    for await (const items of goneItems(sides, unit)) await checkGone(sides.source, unit, items)
  }
}

/** A key only ever counts up, and its copy never before it. */
async function checkKeys(source: Tables, items: readonly Item[]): Promise<void> {
  const there = await find(
    source,
    'keys',
    items.map(({ id }) => id),
  )
  for (const { id, workspaceId, cells } of items) {
    const key = there.get(id)
    if (key === undefined) continue
    if (key.cells['hash'] !== cells['hash'] || key.workspaceId !== workspaceId) throw others()
    const isAhead = ['version', 'uses'].some(
      (name) => Number(cells[name]) > Number(key.cells[name]),
    )
    if (isAhead)
      throw new NotACopy(`key ${id} has changed or was used in the target since it was copied`)
  }
}

async function checkGone(source: Tables, unit: Unit, items: readonly Item[]): Promise<void> {
  const workspaces = await find(
    source,
    'workspaces',
    items.map(({ workspaceId }) => workspaceId),
  )
  const isErased = ({ workspaceId }: Item) => workspaces.get(workspaceId)?.cells['is_erased'] === 1
  const left = items.filter((item) => !isErased(item))
  if (unit !== 'keys' && unit !== 'events') {
    if (left.length > 0) throw others()
    return
  }
  const purged = await find(
    source,
    `purged ${unit}`,
    left.map(({ id }) => id),
  )
  if (left.some(({ id }) => !purged.has(id))) throw others()
}

function others(): NotACopy {
  return new NotACopy('the target holds keys or events that the source does not have')
}

/**
 * Places of rows in the target, given in the order of the source. Every second one stays free: a purged row is
 * between the row that was before it and the next.
 */
class Places {
  next: number

  private constructor(next: number) {
    this.next = next
  }

  static async after({ names, rows }: Tables): Promise<Places> {
    let last = 0
    for (const table of ['keys', 'events', 'purged']) {
      const [row] = await rows(`SELECT MAX(${names.place}) AS last FROM ${names.at(table)}`, [])
      last = Math.max(last, optionalIntegerIn(rowFrom(row), 'last') ?? 0)
    }
    return new Places(last + 2)
  }

  async give(
    target: Tables,
    unit: Unit,
    items: readonly Omit<Change, 'place'>[],
  ): Promise<Change[]> {
    if (unit === 'purged keys' || unit === 'purged events') {
      return besidePlaces(target, unit === 'purged keys' ? 'keys' : 'events', items)
    }
    return items.map((one) => ({ ...one, place: one.known?.place ?? this.#take() }))
  }

  #take(): number {
    this.next += 2
    return this.next - 2
  }
}

async function besidePlaces(
  target: Tables,
  unit: 'keys' | 'events',
  items: readonly Omit<Change, 'place'>[],
): Promise<Change[]> {
  const before = (item: Item) => String(item.cells['before_id'])
  const there = await find(
    target,
    unit,
    items.map(({ item }) => before(item)),
  )
  return items.map((one) => {
    const place = there.get(before(one.item))?.place
    return { ...one, place: place === undefined ? 0 : place + 1 }
  })
}

/** Hours before the first that is kept are read from the days. Read last: it only moves forward. */
async function copyFirstHour(source: Tables, target: Tables): Promise<void> {
  const text = `SELECT first_hour FROM ${source.names.at('usage_retention')}`
  const [row] = await source.rows(text, [])
  const firstHour = integerIn(rowFrom(row), 'first_hour')
  await target.change(async ({ run }) => {
    await run(`UPDATE ${target.names.at('usage_retention')} SET first_hour = ?`, [firstHour])
  })
}
