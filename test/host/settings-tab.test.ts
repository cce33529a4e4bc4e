import { tabOnHost, testWholeLife } from '../support/settings-tab/on-host.ts'

testWholeLife(tabOnHost('Express'), 'ar')
