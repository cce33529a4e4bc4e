import {
  isIssued,
  isKey,
  isKeyEvents,
  isKeyList,
  isPaused,
  isResources,
  isRevoked,
  isRotated,
  isScopes,
  isUsage,
} from '../../client/answers.ts'
import { type ManagementClient, ManagementError, type WireKey } from '../../client/index.ts'

/** The calls that the tab makes. */
export type TabClient = Pick<
  ManagementClient,
  | 'listKeys'
  | 'listScopes'
  | 'createKey'
  | 'getKey'
  | 'updateKey'
  | 'pauseKey'
  | 'resumeKey'
  | 'rotateKey'
  | 'revokeKey'
> &
  /**
   * Without them, the tab shows neither the requests of a key nor its history, and has ids of resources
   * typed.
   */
  Partial<Pick<ManagementClient, 'getKeyUsage' | 'getKeyEvents' | 'listResources'>>

type Check = (answer: unknown) => boolean

/** Recognises the key that a call names, in the state that it must be in by now. */
const about =
  (isDone: (key: WireKey) => boolean = () => true) =>
  (id: unknown): Check =>
  (key) =>
    isKey(key) && key.id === id && isDone(key)

/** What recognises the answer of each call, by its first argument; and whether it only reads. */
const CHECKS: Readonly<Record<keyof TabClient, readonly [(argument: unknown) => Check, 'reads'?]>> =
  {
    listKeys: [() => isKeyList, 'reads'],
    listScopes: [() => isScopes, 'reads'],
    listResources: [() => isResources, 'reads'],
    getKey: [about(), 'reads'],
    getKeyUsage: [() => isUsage, 'reads'],
    getKeyEvents: [() => isKeyEvents, 'reads'],
    createKey: [() => isIssued],
    rotateKey: [() => isRotated],
    updateKey: [about()],
    pauseKey: [about(isPaused)],
    resumeKey: [about()],
    revokeKey: [about(isRevoked)],
  }

/** A client of the page's own, whose answers are checked like those of the built-in one. */
export function checkedClient(client: TabClient): TabClient {
  const calls = Object.entries(CHECKS).flatMap(([name, [checkFor, reads]]) => {
    const call: unknown = Reflect.get(client, name)
    if (typeof call !== 'function') return []
    const checked = async (...args: unknown[]) => {
      const answer: unknown = await call.apply(client, args)
      if (checkFor(args[0])(answer)) return answer
      throw new ManagementError(reads ? 'unexpected' : 'outcome_unknown')
    }
    return [[name, checked]]
  })
  return Object.fromEntries(calls)
}
