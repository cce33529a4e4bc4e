import { readdirSync, readFileSync, writeFileSync } from 'node:fs'

// Run by the build: the types of the CommonJS files are those of the ES modules beside them. A second
// run of the type bundler would double the time of a build.
for (const file of readdirSync('dist')) {
  if (!file.endsWith('.d.ts') || /^(?:cli|react|settings-tab)\b/.test(file)) continue
  const types = readFileSync(`dist/${file}`, 'utf8')
  const required = types.replaceAll(/(['"]\.\/[^'"]+)\.js(['"])/g, '$1.cjs$2')
  writeFileSync(`dist/${file.replace(/\.d\.ts$/, '.d.cts')}`, required)
}
