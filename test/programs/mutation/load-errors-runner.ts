import { TestRunner, test } from 'vitest'

/**
 * A mutant may keep a test file from being loaded at all. Stryker counts tests only, and would find
 * that none has failed: here the file gets a test that does.
 */
export default class LoadErrorsRunner extends TestRunner {
  override async importFile(...[path, source]: Parameters<TestRunner['importFile']>) {
    try {
      return await super.importFile(path, source)
    } catch (error) {
      if (source === 'setup') throw error
      return test('can be loaded', () => {
        throw error
      })
    }
  }
}
