/** A question of a user: what they type into the search, and the page that has the answer. */
export interface Question {
  readonly question: string
  readonly query: string
  readonly page: string
}

/** Questions that users ask first, each to be found by one search, and by two clicks, from the start page. */
export const QUESTIONS: readonly Question[] = [
  { question: 'Can I call with a key from a front end?', query: 'key front end', page: 'faq' },
  { question: 'Can I put a key into a mobile app?', query: 'mobile app', page: 'faq' },
  { question: 'Can my Python service check keys?', query: 'python', page: 'other-languages' },
  { question: 'How do I run it in three regions?', query: 'three regions', page: 'faq' },
  { question: 'Can a key reach one project alone?', query: 'one project per key', page: 'faq' },
  { question: 'How do I move to another database?', query: 'move database', page: 'faq' },
  { question: 'Does it work with several processes?', query: 'processes', page: 'scaling-out' },
  { question: 'Can I use MySQL?', query: 'MySQL', page: 'storage-mysql' },
  {
    ...{ question: 'How long does a revoked key still work?', query: 'how long revoked key works' },
    page: 'faq',
  },
  { question: 'A key has leaked. What now?', query: 'leaked', page: 'leaked-keys' },
  { question: 'How do I rotate without downtime?', query: 'rotate overlap', page: 'key-lifecycle' },
  { question: 'How do I limit the rate of calls?', query: 'rate limits', page: 'http' },
  { question: 'How do I guard a route of Express?', query: 'express guard', page: 'http' },
  { question: 'Can I use it with Prisma?', query: 'prisma', page: 'database-access' },
  { question: 'Does it run on AWS Lambda?', query: 'lambda', page: 'serverless' },
  { question: 'Can I keep the keys I have?', query: 'import keys', page: 'importing-keys' },
  { question: 'Who did what to a key?', query: 'audit log', page: 'audit-log' },
  { question: 'Is there a page for my users?', query: 'settings tab', page: 'settings-tab' },
  { question: 'How do I erase a person?', query: 'erase a person', page: 'erasure' },
  { question: 'How do I upgrade?', query: 'upgrade', page: 'upgrading' },
  { question: 'Which standards does it meet?', query: 'asvs', page: 'standards' },
  { question: 'Can nginx ask it about a call?', query: 'nginx', page: 'gateways' },
]
