import { readFile, writeFile } from 'node:fs/promises'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { Browser, Page } from 'playwright-core'

/** The side of the squares whose mean brightness is kept of a picture, in pixels. */
const square = 20

/** How far two squares may be apart, of 255: rounding. Another word in a button is 3 apart. */
const tolerance = 1

const file = new URL('../../ui/references.json', import.meta.url)

/** What pictures look like, as far as they were taken on one machine. */
interface References {
  /** The browser and the fonts that drew them. */
  readonly drawnBy: string
  /** By name: the brightness of each square, compressed. */
  readonly pictures: Readonly<Record<string, string>>
}

/** Compares pictures with those that were found good, or takes the new ones for good. */
export class Pictures {
  readonly #page: Page
  readonly #drawnBy: string
  readonly #references: References
  readonly #taken: Record<string, string> = {}

  private constructor(page: Page, drawnBy: string, references: References) {
    this.#page = page
    this.#drawnBy = drawnBy
    this.#references = references
  }

  static async open(browser: Browser): Promise<Pictures> {
    const page = await browser.newPage()
    const drawnBy = `Chromium ${browser.version()}, ${await page.evaluate(fontsOf)}`
    return new Pictures(page, drawnBy, JSON.parse(await readFile(file, 'utf8')))
  }

  /** Why nothing can be compared here; `null` if it can. */
  get incomparable(): string | null {
    const { drawnBy } = this.#references
    return drawnBy === this.#drawnBy
      ? null
      : `the references are of ${drawnBy}, this is ${this.#drawnBy}`
  }

  /** How far a picture is from its reference, at the square that differs most. */
  async difference(name: string, picture: Buffer): Promise<string | null> {
    const reference = this.#references.pictures[name]
    if (reference === undefined) return 'no reference: run npm run screenshots'
    const before = inflateRawSync(Buffer.from(reference, 'base64'))
    const now = await this.#squaresOf(picture)
    if (before.length !== now.length) return 'another size'
    const columns = now[0] ?? 1
    const apart = [...now].map((value, at) => Math.abs(value - (before[at] ?? 0)))
    const most = Math.max(...apart)
    if (most <= tolerance) return null
    const at = apart.indexOf(most) - 1
    const place = `x ${(at % columns) * square}, y ${Math.floor(at / columns) * square}`
    return `${apart.filter((one) => one > tolerance).length} squares differ, most by ${most} at ${place}`
  }

  /** Takes a picture for good. */
  async take(name: string, picture: Buffer): Promise<void> {
    this.#taken[name] = deflateRawSync(await this.#squaresOf(picture)).toString('base64')
  }

  /** Writes what was taken. */
  async save(): Promise<void> {
    const same = this.incomparable === null ? this.#references.pictures : {}
    const all = Object.entries({ ...same, ...this.#taken }).sort(([one], [other]) =>
      one < other ? -1 : 1,
    )
    const references = { drawnBy: this.#drawnBy, pictures: Object.fromEntries(all) }
    await writeFile(file, `${JSON.stringify(references, null, 2)}\n`)
  }

  close(): Promise<void> {
    return this.#page.close()
  }

  /** How many columns there are, and the brightness of each square. */
  async #squaresOf(picture: Buffer): Promise<Buffer> {
    const given = { base64: picture.toString('base64'), square }
    return Buffer.from(await this.#page.evaluate(brightness, given))
  }
}

/** Runs in a page. */
async function brightness({ base64, square }: { base64: string; square: number }) {
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
  const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }))
  const { width, height } = image
  const context = new OffscreenCanvas(width, height).getContext('2d')
  if (context === null) throw new Error('no canvas')
  context.drawImage(image, 0, 0)
  const { data } = context.getImageData(0, 0, width, height)
  const columns = Math.ceil(width / square)
  const count = columns * Math.ceil(height / square)
  const sums = new Float64Array(count)
  const pixels = new Uint32Array(count)
  for (let at = 0; at < width * height; at += 1) {
    const x = at % width
    const y = (at - x) / width
    const into = Math.floor(y / square) * columns + Math.floor(x / square)
    const [red = 0, green = 0, blue = 0] = data.subarray(at * 4, at * 4 + 3)
    sums[into] = (sums[into] ?? 0) + 0.3 * red + 0.59 * green + 0.11 * blue
    pixels[into] = (pixels[into] ?? 0) + 1
  }
  return [columns, ...Array.from(sums, (sum, at) => Math.round(sum / (pixels[at] ?? 1)))]
}

/** Runs in a page: what the fonts of the machine make of a text. */
function fontsOf(): string {
  const context = new OffscreenCanvas(1, 1).getContext('2d')
  if (context === null) throw new Error('no canvas')
  const widths = ['DejaVu Sans', 'DejaVu Sans Mono', 'sans-serif', 'monospace'].map((family) => {
    context.font = `40px '${family}', ${family}`
    return Math.round(context.measureText('svc_live_مفتاح Wi 1,284 ⌄→').width)
  })
  return `fonts ${widths.join(' ')}`
}
