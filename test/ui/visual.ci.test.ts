import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { findingsOf } from '../support/settings-tab/axe.ts'
import { tabTests } from '../support/settings-tab/browser.ts'
import { chosen, taking, testPictures } from '../support/settings-tab/pictures.ts'

testPictures(chosen)

const { open, browser } = tabTests()

test('what is planted is found', async () => {
  const { tab, page } = await open()
  await tab.host.evaluate((element) => element.style.setProperty('--apikeys-muted', '#bbb'))
  expect((await findingsOf(page)).join()).toContain('color-contrast')
})

const pathOf = (name: string) => fileURLToPath(new URL(`../../${name}`, import.meta.url))

test.runIf(taking)('the picture of the README has the page in both languages', async () => {
  const pictures = ['lifecycle-en-dark-1280', 'lifecycle-ar-light-1280'].map(async (name) => {
    const file = await readFile(pathOf(`node_modules/.cache/screenshots/${name}.png`), 'base64')
    return `<div style="height: 452px; overflow: hidden"><img src="data:image/png;base64,${file}"></div>`
  })
  const page = await browser().newPage({ viewport: { width: 1280, height: 904 } })
  await page.setContent(`<body style="margin: 0">${(await Promise.all(pictures)).join('')}`)
  await page.screenshot({ path: pathOf('docs/images/both.png') })
  await page.close()
})
