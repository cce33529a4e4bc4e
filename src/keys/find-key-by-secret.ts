import { sha256Hex } from '#sha256'
import type { Context } from '../context.ts'
import type { AuthenticatedKey } from '../model/key.ts'
import type { KeyRecord } from '../model/key-record.ts'
import { secretTest } from '../secret/format.ts'
import { foreignHash, isDigest } from '../secret/key-format.ts'
import { assertRecord, recordAnswer } from '../storage/answers.ts'

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

/** The same as it is stored. White space around a secret is not of it: it comes from a file or a message. */
export async function findRecord<S extends string>(
  context: Context<S>,
  text: string,
): Promise<KeyRecord | null> {
  if (typeof text !== 'string') return null
  const secret = text.trim()
  const isOwn = secretTest(context.settings.brand)(secret)
  const hash = isOwn ? sha256Hex(secret) : await foreignHashOf(context, secret)
  return hash === null ? null : findByHash(context, hash)
}

/** The hash of the key that a text is by the first format whose test accepts it; `null` when none does. */
export function foreignHashOf<S extends string>(
  { calls, settings: { formats } }: Context<S>,
  secret: string,
): string | null | Promise<string | null> {
  if (formats.length === 0) return null
  let id = ''
  return calls.run<unknown, string | null>(
    'formats',
    () => {
      const format = formats.find(({ test }) => test(secret))
      if (format === undefined) return null
      id = format.id
      return format.digest(secret)
    },
    (digest) => {
      if (id === '') return null
      if (isDigest(digest)) return foreignHash(id, digest)
      throw new TypeError(`Format "${id}": "digest" must return 1 to 1,024 characters.`)
    },
  )
}
