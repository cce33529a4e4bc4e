import type { EventClaim, KeyStorage, NoticeQuery } from '../../src/storage/index.ts'

/** A storage that answers at most so many events or notices at once, whatever it is called with. */
export function inBatches(storage: KeyStorage, limit: number): KeyStorage {
  const claimEvents = (claim: EventClaim, ...rest: [never]) =>
    storage.claimEvents({ ...claim, limit }, ...rest)
  const dueNotices = (query: NoticeQuery, ...rest: [never]) =>
    storage.dueNotices({ ...query, limit }, ...rest)
  return new Proxy(storage, {
    get(target, verb: keyof KeyStorage) {
      const method = { claimEvents, dueNotices }[verb as 'claimEvents'] ?? target[verb]
      return typeof method === 'function' ? method.bind(target as never) : method
    },
  })
}
