import { serveTasks } from '../../reliability/serve-tasks.ts'
import { type FleetTasks, openFleet } from './fleet.ts'

// One process of a fleet.
serveTasks<FleetTasks>(openFleet(JSON.parse(process.argv[2] ?? '{}')))
