import { chosen, testPictures } from '../support/settings-tab/pictures.ts'

const SHORT = [
  'list ar light 1100',
  'lifecycle ar light 360',
  'details en dark 1100',
  'create en light 1100',
  'created en dark 360',
]

testPictures(chosen.filter((picture) => SHORT.includes(picture.join(' '))))
