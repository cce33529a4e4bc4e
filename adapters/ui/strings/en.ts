import type { MessageShape } from './messages.ts'

/** Every sentence of the tab in English; the ids are shared by all languages. */
export const en = {
  // Header, allowance, limit
  title: 'API keys',
  intro:
    'Use API keys to connect your systems to your account. Never share a key or put it in browser or mobile-app code.',
  docs: 'Integration guide',
  new: 'New key',
  refresh: 'Refresh',
  'allowance.label': 'Active keys',
  'allowance.value': '{active} of {limit}',
  'limit.title': 'You have reached your active-key limit.',
  'limit.body': 'Revoke a key or upgrade to create another.',
  'limit.over':
    'You have more active keys than your plan allows. Existing keys keep working; you cannot create new ones.',
  'table.caption': 'API keys',

  // Table
  'col.name': 'Name',
  'col.key': 'Key',
  'col.type': 'Type',
  'col.last': 'Last used',
  'col.uses': 'Uses',
  'col.status': 'Status',
  'col.actions': 'Actions',
  by: 'by {name}',
  'by.you': 'by you',
  'by.unknown': 'Unknown creator',
  'key.sr': 'Key starts with {prefix}',
  'env.live': 'Live',
  'env.test': 'Test',
  never: 'Never used',
  unused: 'Not used for over {time}',
  'uses.sr': {
    one: 'Used once',
    other: 'Used {n} times',
  },
  'status.active': 'Active',
  'status.inactive': 'Inactive',
  'status.retiring': 'Being replaced',
  'status.retiresAt': 'Works until {date}',
  'status.paused': 'Paused',
  'status.pausedBy': 'by {name}',
  'status.expired': 'Expired',
  'status.expiresAt': 'Expires {date}',
  'badge.restricted': 'Restricted',
  'status.revoked': 'Revoked',
  rotate: 'Rotate',
  'rotate.sr': 'Rotate key “{name}”',
  revoke: 'Revoke',
  'revoke.sr': 'Revoke key “{name}”',
  stop: 'Stop now',
  'stop.sr': 'Stop now: key “{name}”',
  'stop.title': 'Stop key “{name}” now?',
  'menu.sr': 'More actions for key “{name}”',
  'count.keys': {
    one: '{n} key',
    other: '{n} keys',
  },
  'count.scopes': {
    one: '{n} scope',
    other: '{n} scopes',
  },
  'list.ended': 'Ended ({n})',
  'row.unreadable': 'This key can’t be displayed.',
  more: 'Show more',
  'more.failed': 'More keys could not be loaded.',

  // Empty, loading, error, offline, session, permission, lock
  loading: 'Loading keys…',
  'loading.slow': 'This is taking longer than usual…',
  'empty.title': 'No API keys yet',
  'empty.create': 'Create a key. Start with a test key while you build.',
  'empty.copy': 'Copy it and store it somewhere safe. It is shown only once.',
  'empty.call': 'Send it with every request:',
  'err.title': 'Keys could not be loaded',
  'err.body': 'Something went wrong. Nothing about your keys has changed.',
  'err.retry': 'Try again',
  'err.ref': 'Reference: {ref}',
  'err.stale': 'The list could not be refreshed. Showing what was loaded at {time}.',
  'session.title': 'Your session has ended',
  'session.body': 'Sign in again to keep managing keys.',
  'session.cta': 'Sign in',
  'forbidden.title': 'You cannot manage API keys',
  'forbidden.body': 'Ask an account admin for permission to manage integrations.',
  'lock.title': 'API access is not part of your plan',
  'lock.body': 'Upgrade to create API keys and connect your systems.',
  'lock.cta': 'Upgrade',
  'lock.existing': 'Your existing keys are inactive until you upgrade.',

  // Every dialog
  cancel: 'Cancel',
  close: 'Close',

  // Rotate and revoke dialogs, announcements
  'rev.title': 'Revoke key “{name}”?',
  'rev.body':
    'Key {prefix} stops working immediately. This is permanent. The key stays in the list for reference.',
  'rev.expired':
    'Key {prefix} has expired and no longer works. Revoking it is permanent. The key stays in the list for reference.',
  'rev.used': 'Last used: {when}. Requests from systems using this key will be rejected.',
  'rev.keep': 'Keep key',
  'rev.submit': 'Revoke key',
  'rev.done': 'Key “{name}” revoked.',

  // Action errors
  'e.part': 'This part could not be loaded. Check your connection, then try again.',
  'e.generic': 'That did not work. Refresh the list, then try again.',
  'e.network': 'The connection dropped before the request was sent. Try again.',
  'e.unknown.revoke':
    'We could not confirm whether the key was revoked. Check the list: if the key is still active, revoke it again.',
  'none.revoke': 'No key was revoked.',
  'why.dropped': 'No answer came from the server.',
  'why.fault': 'The server reported an error.',
  'why.unreadable': 'The answer of the server could not be read.',
  'why.session': 'Your session has ended.',
  'why.outage': 'The key service is unavailable. Try again in a moment.',
  'why.missing':
    'The key was not found in this workspace. If it belongs to another workspace, switch to that one and try again.',
  'why.address':
    'The key service was not found at this address. Try again in a moment; if this continues, contact support.',
  'why.workspace': 'Your session moved to another workspace. Its keys are shown now.',
  'late.revoke': 'About revoking “{name}”:',
  'e.gone': 'Key “{name}” was revoked elsewhere. The list has been refreshed.',
  'e.limit': 'You have reached your active-key limit. Revoke a key, then try again.',
  'e.capability': 'Your plan no longer includes API access.',
  'e.forbidden': 'You are not allowed to do this.',
  'e.rate': {
    one: 'Too many requests. Try again in {n} second.',
    other: 'Too many requests. Try again in {n} seconds.',
  },
} as const satisfies MessageShape
