import { writeFile } from 'node:fs/promises'
import { manifestText } from './manifest.ts'

await writeFile('dist/custom-elements.json', await manifestText())
