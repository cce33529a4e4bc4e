import type { HttpAnswer } from '../../../../src/http/index.ts'
import type { ApiKeys } from '../../../../src/index.ts'
import { OptionChecks, optionalFunction } from '../../../../src/lib/option-checks.ts'
import type { Endpoint } from '../call.ts'
import { type EndpointOptions, endpoint, readForm, tokenIn, unavailable } from './endpoint.ts'

/** Nobody has to sign in, so nobody may keep the storage busy. */
const AT_ONCE = 16

/** RFC 7009 §2.2: clients do not read the body. */
const DONE: HttpAnswer = Object.freeze({ status: 200, headers: {}, body: '' })

const checks = new OptionChecks('revokeBySecret')

/** A call is checked in this order: the method, the form, how many are under way. */
export function holderRevocation<S extends string>(
  keys: ApiKeys<S>,
  options: EndpointOptions,
): Endpoint<unknown> {
  checks.keys(keys)
  const { onError } = checks.object(options, { onError: optionalFunction })
  let running = 0
  return endpoint(keys, onError, async (call) => {
    const token = tokenIn(await readForm(call))
    if (running >= AT_ONCE) throw unavailable()
    running += 1
    try {
      await keys.revokeBySecret(token)
    } finally {
      running -= 1
    }
    return DONE
  })
}
