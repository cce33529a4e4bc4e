import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { outputOf } from '../support/package/child.ts'
import { ROOT } from '../support/package/npm.ts'

const built = readFileSync(join(ROOT, 'dist/react.js'), 'utf8')

test('the component is for the client, and takes the tab that is built beside it', () => {
  expect(built).toMatch(/^"use client";/)
  expect(built).toContain('import "./settings-tab.js"')
  expect(gzipSync(built).length).toBeLessThanOrEqual(2_350)
})

test('Node renders it by its name', async () => {
  const program = `
    import { ApiKeysTab } from 'miftah/react'
    import { createElement } from 'react'
    import { renderToString } from 'react-dom/server'
    process.stdout.write(renderToString(createElement(ApiKeysTab, { lang: 'ar', readonly: true })))`
  const html = await outputOf([process.execPath, '--input-type=module', '--eval', program], ROOT)
  expect(html).toBe('<api-keys-tab lang="ar" defer-hydration=""></api-keys-tab>')
})
