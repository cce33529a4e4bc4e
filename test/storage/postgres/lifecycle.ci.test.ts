import { lifecycleTests } from '../../support/lifecycle/suite.ts'
import { storagesInSchemas } from '../../support/postgres/schemas.ts'

lifecycleTests(storagesInSchemas())
