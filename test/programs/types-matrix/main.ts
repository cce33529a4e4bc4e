import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { outputOf } from '../../support/package/child.ts'
import { installPacked } from '../../support/package/installed.ts'
import { CONSUMERS, RESOLUTIONS, typeErrors } from './consumers.ts'

// `npm run types:matrix`: the packed package's types, alone, by every compiler in `shelf/`.
const SHELF = fileURLToPath(new URL('shelf/', import.meta.url))
const app = mkdtempSync(join(tmpdir(), 'miftah-types-'))
let failed = false
try {
  console.error('building, packing, installing …')
  cpSync(join(SHELF, 'package.json'), join(app, 'package.json'))
  cpSync(join(SHELF, 'package-lock.json'), join(app, 'package-lock.json'))
  installPacked(app)
  for (const major of [5, 6, 7]) await checkWith(major)
} finally {
  rmSync(app, { recursive: true })
}
process.exitCode = failed ? 1 : 0

async function checkWith(major: number): Promise<void> {
  const compiler = join(app, `node_modules/typescript-${major}/bin/tsc`)
  const version = await outputOf([process.execPath, compiler, '--version'], app)
  for (const resolution of RESOLUTIONS) {
    for (const consumer of CONSUMERS) {
      const errors = typeErrors(join(app, 'program'), { compiler, resolution, consumer })
      const about = `${version.trim()}, ${resolution.module}, ${resolution.file}, ${consumer.name}`
      console.log(`${about}: ${errors.length === 0 ? 'ok' : 'FAILED'}`)
      for (const error of errors) console.error(`  ${error}`)
      failed ||= errors.length > 0
    }
  }
}
