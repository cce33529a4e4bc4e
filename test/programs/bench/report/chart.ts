import type { Chart } from '../measure/result.ts'
import { figure } from '../measure/text.ts'

const WIDTH = 760
const LABELS = 250
const BAR = 18
const GAP = 5
const GROUP_GAP = 34
const TOP = 56
// Told apart without colour vision; the one for miftah is the darkest.
const COLOURS = { miftah: '#0f5c4d', other: '#9fb8b2', text: '#24312f', faint: '#5d6f6b' }

/** Horizontal bars as an SVG with its own light background, so that it reads in any theme. */
export function svgOf({ title, unit, groups }: Chart): string {
  const most = Math.max(...groups.flatMap(({ bars }) => bars.map(({ value }) => value)))
  const parts: string[] = []
  let y = TOP
  for (const { label, bars } of groups) {
    parts.push(text({ x: 16, y: y + 4, content: label, weight: 600 }))
    y += 16
    for (const { name, value } of bars) {
      parts.push(bar({ y, name, value, width: (value / most) * (WIDTH - LABELS - 110), unit }))
      y += BAR + GAP
    }
    y += GROUP_GAP - GAP
  }
  const height = y - GROUP_GAP + 30
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" font-family="system-ui, sans-serif" font-size="13">
<title>${escaped(title)}</title>
<rect width="${WIDTH}" height="${height}" rx="8" fill="#fbfcfb"/>
${text({ x: 16, y: 28, content: title, weight: 600, size: 15 })}
${parts.join('\n')}
</svg>
`
}

interface Bar {
  readonly y: number
  readonly name: string
  readonly value: number
  readonly width: number
  readonly unit: string
}

function bar({ y, name, value, width, unit }: Bar): string {
  const fill = name.startsWith('miftah') ? COLOURS.miftah : COLOURS.other
  const middle = y + BAR / 2 + 4.5
  return [
    text({ x: LABELS - 10, y: middle, content: name, anchor: 'end' }),
    `<rect x="${LABELS}" y="${y}" width="${Math.max(1, width).toFixed(1)}" height="${BAR}" rx="2" fill="${fill}"/>`,
    text({ x: LABELS + width + 8, y: middle, content: `${figure(value)} ${unit}`, faint: true }),
  ].join('\n')
}

interface Text {
  readonly x: number
  readonly y: number
  readonly content: string
  readonly anchor?: 'end'
  readonly weight?: number
  readonly size?: number
  readonly faint?: boolean
}

function text({ x, y, content, anchor, weight, size, faint }: Text): string {
  const attributes = [
    `x="${x.toFixed(1)}" y="${y.toFixed(1)}" fill="${faint ? COLOURS.faint : COLOURS.text}"`,
    ...(anchor ? [`text-anchor="${anchor}"`] : []),
    ...(weight ? [`font-weight="${weight}"`] : []),
    ...(size ? [`font-size="${size}"`] : []),
  ]
  return `<text ${attributes.join(' ')}>${escaped(content)}</text>`
}

function escaped(content: string): string {
  return content.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
