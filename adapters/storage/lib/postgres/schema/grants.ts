/** The tables that a program reads. */
export const READ_TABLES = [
  ...['schema_version', 'workspaces', 'keys'],
  ...['usage', 'usage_hours', 'usage_days', 'usage_retention'],
  ...['events', 'purged', 'notices', 'nodes'],
]

/** The functions that a program calls; each takes one `jsonb`. */
export const CALLED_FUNCTIONS = [
  ...[
    'insert_key',
    'update_key',
    'rotate_key',
    'revoke_key',
    'revoke_keys',
    'change_keys',
    'confirm_keys',
    'add_uses',
  ],
  ...['claim_events', 'acknowledge_events', 'release_events', 'store_notices'],
  ...['register_node', 'renew_node', 'evict_nodes', 'leave_node', 'change_plan'],
]

/** The functions that delete, which a role that only serves requests does not need. */
export const ERASURE_FUNCTIONS = ['erase_person', 'erase_workspace', 'purge']

/** Revokes the right to call functions, which PostgreSQL grants to every role. */
export const CLOSED_TO_PUBLIC = `
REVOKE ALL ON FUNCTION
  ${[...CALLED_FUNCTIONS, ...ERASURE_FUNCTIONS].map((name) => `miftah.${name}(jsonb)`).join(',\n  ')},
  miftah.commit_durably(),
  miftah.lock_workspace(text, boolean),
  miftah.decided_at(jsonb, bigint, text),
  miftah.store_key(jsonb, text, bigint),
  miftah.store_event(jsonb, text, bigint),
  miftah.forget_old_usage(miftah.usage_retention, integer, integer),
  miftah.log_changes(text, bytea[], text),
  miftah.log_key_changes(),
  miftah.plan_notice()
FROM PUBLIC;`
