export interface CodeSpec {
  /** The status over HTTP (RFC 9110 §15); `null` for what no client can cause. */
  readonly status: number | null
  /** A sentence for people. */
  readonly message: string
}

/** Every reason for which miftah refuses a call of the program: the codes of an {@link ApiKeyError}. @internal */
export const errorCodes = {
  invalid_input: { status: 422, message: 'The input is not valid.' },
  plan_required: {
    status: 403,
    message: 'The plan of the workspace does not include the public API.',
  },
  not_grantable: { status: 403, message: 'The key would have more than this user may give.' },
  active_key_limit_reached: {
    status: 409,
    message: 'The workspace has reached its active-key limit.',
  },
  workspace_erased: { status: 409, message: 'The workspace has been erased.' },
  key_revoked: { status: 409, message: 'The key is revoked.' },
  key_expired: { status: 409, message: 'The key has expired.' },
  key_rotated: { status: 409, message: 'The key has been replaced.' },
  overlap_limit_reached: {
    status: 409,
    message: 'The workspace has too many keys that are being replaced.',
  },
  stale: { status: 412, message: 'The key has changed since the given version.' },
  key_not_found: { status: 404, message: 'There is no such key in this workspace.' },
  usage_not_kept: { status: 404, message: 'Usage history is turned off.' },
  unknown_scope: { status: null, message: 'The required scope is not in the scope catalogue.' },
  closed: { status: null, message: 'close() was called; no further calls are accepted.' },
} as const satisfies Readonly<Record<string, CodeSpec>>
