import { sha256Hex } from '#sha256'
import type { Context } from '../context.ts'
import type { AuthenticatedKey } from '../model/key.ts'
import { secretClassifier } from '../secret/format.ts'
import { recordAnswer } from '../storage/answers.ts'
import type { ReadKey } from '../storage/record.ts'

/** The key with this hash as the storage has it now, or `null`. */
export function findByHash<S extends string>(
  context: Context<S>,
  hash: string,
): ReadKey<S> | null | Promise<ReadKey<S> | null> {
  const { settings, records } = context
  return context.ask(
    'findByHash',
    (call) => settings.storage.findByHash(hash, call),
    (answer) => {
      const record = recordAnswer(answer, hash)
      return record === null ? null : records.read(record)
    },
  )
}

/** The key of a secret, or `null`. A text that can be no secret never reaches the storage. */
export async function findKeyBySecret<S extends string>(
  context: Context<S>,
  secret: string,
): Promise<AuthenticatedKey<S> | null> {
  const hash = await hashOf(context, secret)
  const found = hash === null ? null : await findByHash(context, hash)
  return found === null ? null : context.records.keyAt(found.record, context.clockMs())
}

async function hashOf<S extends string>(
  { settings, foreign }: Context<S>,
  secret: string,
): Promise<string | null> {
  if (typeof secret !== 'string') return null
  if (secretClassifier(settings.brand)(secret) === 'secret') return sha256Hex(secret)
  if (foreign === null) return null
  return (await foreign.identify(secret))?.hash ?? null
}
