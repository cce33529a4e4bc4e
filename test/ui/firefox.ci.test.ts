import { describe } from 'vitest'
import { firefoxContext, hasFirefox, launchFirefox } from '../support/other-browsers.ts'
import { byTurns, testPictures } from '../support/settings-tab/pictures.ts'

describe.skipIf(!hasFirefox)('Firefox', () => {
  testPictures(byTurns, { context: firefoxContext }, launchFirefox)
})
