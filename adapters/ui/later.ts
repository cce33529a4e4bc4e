import { html } from 'lit'
import { KeyBanners } from './banner/banners.ts'
import { KeyDetails } from './details/details.ts'
import { KeyHistory, KeyUsage } from './details/readings.ts'
import { KeyForm } from './form/form.ts'
import { ResourcePicker } from './form/resources.ts'
import { ScopePicker } from './form/scopes.ts'
import { defineParts } from './part.ts'
import { Question } from './question/question.ts'

export { Secrets } from './banner/secrets.ts'
export { html }

defineParts({
  'api-keys-banners': KeyBanners,
  'api-keys-details': KeyDetails,
  'api-keys-form': KeyForm,
  'api-keys-history': KeyHistory,
  'api-keys-question': Question,
  'api-keys-resources': ResourcePicker,
  'api-keys-scopes': ScopePicker,
  'api-keys-usage': KeyUsage,
})
