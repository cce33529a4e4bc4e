import { isLong } from '../support/runs.ts'
import {
  documented,
  every,
  taking,
  testPictures,
} from '../support/settings-tab/compared-pictures.ts'

testPictures(taking || isLong ? [...documented, ...every] : documented)
