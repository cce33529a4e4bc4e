import type { Context } from '../context.ts'
import { findByHash } from '../keys/find-key-by-secret.ts'
import type { ReadKey } from '../storage/record.ts'

/** Finds the key with a hash: every change that was answered before the call is in the answer. */
export type KeySource<S extends string> = (
  hash: string,
) => ReadKey<S> | null | Promise<ReadKey<S> | null>

/** The storage, or the cache in front of it. */
export function keySourceOf<S extends string>(context: Context<S>): KeySource<S> {
  const { cache } = context
  const read: KeySource<S> = (hash) => findByHash(context, hash)
  return cache === null ? read : (hash) => cache.find(hash, () => read(hash))
}
