import { testAccessibleScenes } from '../support/settings-tab/accessible-scenes.ts'

testAccessibleScenes('ar', ['list', 'created'])
