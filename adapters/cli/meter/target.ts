import { importModule } from '../config.ts'
import { UsageError } from '../usage-error.ts'

/** The system that is measured: what the module named by `--config` exports. */
export interface MeterTarget {
  /** Makes a key. What it returns is passed to the other two. */
  createKey(): unknown
  /** Revokes a key: when it resolves, the system has acknowledged the revocation. */
  revokeKey(key: unknown): unknown
  /** The headers of a call. Default: `Authorization: Bearer`, with the `secret` of the key. */
  headers(key: unknown): Readonly<Record<string, string>>
  /** Whether an answer means that the key was accepted. Default: a status of 2xx. */
  isAccepted(answer: { readonly status: number; readonly text: string }): boolean
}

const DEFAULTS: Partial<MeterTarget> = {
  headers(key) {
    const secret: unknown = Object(key).secret
    if (typeof secret === 'string') return { authorization: `Bearer ${secret}` }
    throw new Error('createKey must return { secret }, or the module must export "headers".')
  },
  isAccepted: ({ status }) => status >= 200 && status < 300,
}

/** Loads the module of a target. Throws a {@link UsageError} that says what is wrong with it. */
export async function loadTarget(path: string): Promise<MeterTarget> {
  const exported = await importModule(path)
  const named = <N extends keyof MeterTarget>(name: N): MeterTarget[N] => {
    const value: unknown = exported[name] ?? DEFAULTS[name]
    if (typeof value === 'function') return value as MeterTarget[N]
    throw new UsageError(`${path} must export the function "${name}".`)
  }
  return {
    createKey: named('createKey'),
    revokeKey: named('revokeKey'),
    headers: named('headers'),
    isAccepted: named('isAccepted'),
  }
}
