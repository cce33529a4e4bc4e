import { testAccessibleScenes } from '../support/settings-tab/accessible-scenes.ts'

// In a file of its own so that the two languages are looked at side by side.
testAccessibleScenes('en')
