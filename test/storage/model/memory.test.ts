import { memoryStorage } from '../../../adapters/storage/memory.ts'
import { modelTest } from './model-test.ts'

modelTest('memory', memoryStorage, { numRuns: 200 })
