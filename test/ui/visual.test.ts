import { documented, taking, testPictures } from '../support/settings-tab/pictures.ts'

const SHORT = [
  'list ar light',
  'lifecycle ar light',
  'details en dark',
  'create en light',
  'created en dark',
]

// Where pictures are taken, `visual.ci.test.ts` takes all of them.
testPictures(
  taking ? [] : documented.filter((picture) => SHORT.includes(picture.slice(0, 3).join(' '))),
)
