import { sha256Hex } from '#sha256'
import type { Context } from '../context.ts'
import { identify } from '../formats/foreign-secret.ts'
import type { AuthenticatedKey } from '../model/key.ts'
import type { KeyRecord } from '../model/key-record.ts'
import { secretClassifier } from '../secret/format.ts'
import { recordAnswer } from '../storage/answers.ts'
import { assertRecord } from '../storage/record-checks.ts'

export async function findByHash<S extends string>(
  { calls, settings: { storage } }: Context<S>,
  hash: string,
): Promise<KeyRecord | null> {
  return calls.run(
    'findByHash',
    (call) => storage.findByHash(hash, call),
    (answer) => {
      const record = recordAnswer(answer, hash)
      if (record !== null) assertRecord(record)
      return record
    },
  )
}

/** The key of a secret, or `null`. A text that can be no secret never reaches the storage. */
export async function findKeyBySecret<S extends string>(
  context: Context<S>,
  secret: string,
): Promise<AuthenticatedKey<S> | null> {
  const found = await findRecord(context, secret)
  return found === null ? null : context.records.keyAt(found, context.calls.clockMs())
}

/** The same as it is stored. */
export async function findRecord<S extends string>(
  context: Context<S>,
  secret: string,
): Promise<KeyRecord | null> {
  const hash = await hashOf(context, secret)
  return hash === null ? null : findByHash(context, hash)
}

/** White space around a secret is not of it: it comes from a file, a terminal or a message. */
async function hashOf<S extends string>(context: Context<S>, text: string): Promise<string | null> {
  if (typeof text !== 'string') return null
  const secret = text.trim()
  const classify = secretClassifier(context.settings.brand)
  if (classify(secret) === 'secret') return sha256Hex(secret)
  return (await identify(context, secret))?.hash ?? null
}
