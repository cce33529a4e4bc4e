/** The tests of the core: quick ones, that need no build, no database and no browser. */
export const CORE_TESTS = [
  'test/*.test.ts',
  'test/{authenticate,events,input,lifecycle,plans,scopes,secret,usage}/**/!(*.property).test.ts',
  'test/http/*.test.ts',
  'test/security/core.test.ts',
  'test/storage/{answers,deadline,record}.test.ts',
]
