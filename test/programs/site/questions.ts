/** A question of a user: what they type into the search, and the page that has the answer. */
export interface Question {
  readonly query: string
  readonly page: string
}

/** Questions that users ask first, each to be found by one search from the start page. */
export const QUESTIONS: readonly Question[] = [
  { query: 'key front end', page: 'faq' },
  { query: 'mobile app', page: 'faq' },
  { query: 'other languages python', page: 'faq' },
  { query: 'three regions', page: 'faq' },
  { query: 'one project per key', page: 'faq' },
  { query: 'move database', page: 'faq' },
  { query: 'several processes', page: 'faq' },
  { query: 'MySQL', page: 'faq' },
  { query: 'how long revoked key works', page: 'faq' },
  { query: 'leaked', page: 'leaked-keys' },
  { query: 'rotate overlap', page: 'key-lifecycle' },
  { query: 'rate limits', page: 'rate-limits' },
  { query: 'express guard', page: 'http' },
  { query: 'prisma', page: 'database-access' },
  { query: 'lambda', page: 'serverless' },
  { query: 'import keys', page: 'importing-keys' },
  { query: 'audit log', page: 'audit-log' },
  { query: 'arabic settings tab', page: 'settings-tab' },
  { query: 'erase a person', page: 'erasure' },
  { query: 'upgrade', page: 'upgrading' },
  { query: 'asvs', page: 'standards' },
]
