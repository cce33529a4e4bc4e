import type { AuthenticatedKey } from '../model/key.ts'
import type { HttpAnswer } from './answer.ts'

/** The verdict about one request: the key, or the answer to send instead of the route's. */
export type GuardVerdict<S extends string = string> =
  | {
      /** Always `true`: let the request through. */
      readonly ok: true
      /** The key, frozen; `null` for a restricted one that a `requireScope` of the route decides about. */
      readonly key: AuthenticatedKey<S> | null
      /** Headers to add to the response of the route; there are some only with a limiter. */
      readonly headers: Readonly<Record<string, string>>
    }
  | {
      /** Always `false`: do not let the request through. */
      readonly ok: false
      /** What to answer. */
      readonly answer: HttpAnswer
    }
