import { readFileSync, writeFileSync } from 'node:fs'

/*
 * npm run address -- https://github.com/OWNER/NAME
 * Run before `npm pack`, which the repository does not know its own address for: writes the address into
 * package.json, and makes the links of the packed pages absolute, to the files of this version.
 */

const [address = ''] = process.argv.slice(2)
if (!/^https:\/\/[^/\s]+\/[^/\s]+\/[^/\s]+[^/\s]$/.test(address)) {
  throw new Error('Say where the repository is: npm run address -- https://github.com/OWNER/NAME')
}

const manifest = JSON.parse(readFileSync('package.json', 'utf8'))
const published = {
  ...manifest,
  repository: { type: 'git', url: `git+${address}.git` },
  homepage: `${address}#readme`,
  bugs: { url: `${address}/issues` },
}
writeFileSync('package.json', `${JSON.stringify(published, null, 2)}\n`)

/** A link or a picture whose target is a file of the repository. */
const LINK = /(!?)(\[[^\]]*\])\((?![a-z]+:|#)([^)]+)\)/g
for (const page of ['README.md', 'CHANGELOG.md', 'SECURITY.md']) {
  const absolute = readFileSync(page, 'utf8').replace(LINK, (_, mark, text, path) => {
    const kind = mark === '!' ? 'raw' : 'blob'
    return `${mark}${text}(${address}/${kind}/v${manifest.version}/${path})`
  })
  writeFileSync(page, absolute)
}
