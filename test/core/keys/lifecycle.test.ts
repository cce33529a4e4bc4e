import { memoryStorage } from '../../../adapters/storage/memory.ts'
import { lifecycleTests } from '../../support/lifecycle/suite.ts'

lifecycleTests(() => memoryStorage())
