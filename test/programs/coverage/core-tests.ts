/** The tests of the core: quick ones, that need no build, no database and no browser. */
export const CORE_TESTS = ['test/core/**/!(*.property).test.ts', 'test/security/core.test.ts']
