import { serveTasks } from '../serve-tasks.ts'
import { openNode, type Tasks } from './tasks.ts'

// One process with keys of its own.
serveTasks<Tasks>(openNode(JSON.parse(process.argv[2] ?? '{}')))
