/** Cases of the suite that better-auth's plugin has no counterpart of, and why. */
export const notApplicable: readonly { readonly ids: string; readonly reason: string }[] = [
  {
    ids: 'H01–H11, H23, the vectors',
    reason:
      'no `Authorization` grammar: the plugin reads the whole value of a header of its own, `x-api-key`; ' +
      'a scheme is left to a getter that the host writes',
  },
  { ids: 'H24', reason: 'no environments' },
  { ids: 'H25', reason: 'no brand and no checksum in a key' },
  { ids: 'H32, M04, M05', reason: 'no plans' },
  { ids: 'H37', reason: 'no revocation with an instant of its own' },
  { ids: 'M02, M03, M06', reason: 'no limit to the number of keys' },
  {
    ids: 'M08–M11, all cases of an overlap, a rotation beyond what a member may give',
    reason: 'no rotation',
  },
  {
    ids: 'M13, M23, M24',
    reason: 'a matter of its database adapters, which were not run',
  },
  { ids: 'M19', reason: 'no audit log' },
  { ids: 'M21', reason: 'no idempotency keys in either' },
  { ids: 'E02–E05, E07, E08, E13', reason: 'no middleware: the host calls `verifyApiKey` itself' },
  { ids: 'U01–U16', reason: 'no interface in the plugin' },
]
