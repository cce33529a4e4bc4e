import { memoryStorage } from '../../../adapters/storage/memory.ts'
import { simulateTime } from '../../support/simulated-time.ts'
import { modelTest } from './model-test.ts'

simulateTime()

modelTest('memory', memoryStorage, { numRuns: 100 })
