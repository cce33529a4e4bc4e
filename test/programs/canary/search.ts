import { createHash } from 'node:crypto'
import { PieceIndex } from './piece-index.ts'

/** Something that must hold no secret: output, a body, a file. */
export interface Place {
  readonly name: string
  readonly content: string | Buffer
}

/** Whether hashes may be there: they stand in the database by design, and nowhere else. */
export interface SearchOptions {
  readonly hashes?: 'forbidden' | 'allowed'
}

/** The names of the places in which a piece of a secret or of a hash stands, and which. */
export function leaksIn(
  places: readonly Place[],
  secrets: readonly string[],
  { hashes = 'forbidden' }: SearchOptions = {},
): string[] {
  const search = new Search()
  for (const secret of secrets) {
    search.addSecret(secret)
    if (hashes === 'forbidden') search.addHash(hashOf(secret), shown(secret))
  }
  return places.flatMap((place) => search.leaksIn(place))
}

/** Secrets and hashes that are looked for together, in every form in which they may be written. */
export class Search {
  readonly #index = new PieceIndex<Sought>()
  #count = 0

  addSecret(secret: string): void {
    for (const form of formsOfSecret(secret)) this.#add(form, shown(secret))
  }

  addHash(hash: Buffer, name: string): void {
    for (const form of formsOfHash(hash)) this.#add(form, name)
  }

  /** What stands in a place, in the order in which it was added. */
  leaksIn({ name, content }: Place): string[] {
    // Latin-1 keeps every byte as one character, so that files and texts are searched alike.
    const text = typeof content === 'string' ? content : content.toString('latin1')
    const found = [...this.#index.in(text)].sort((a, b) => a.number - b.number)
    return found.map(({ what }) => `${name}: ${what}`)
  }

  #add({ form, pieces }: Form, name: string): void {
    this.#count += 1
    const sought = { number: this.#count, what: `${form} of ${name}` }
    for (const piece of pieces.filter(isTelling)) this.#index.add(piece, sought)
  }
}

interface Sought {
  readonly number: number
  readonly what: string
}

/** Some tests make hashes by hand, of one digit time and again: such pieces stand anywhere. */
function isTelling(piece: string): boolean {
  return new Set(piece.replaceAll('\0', '')).size > 5
}

export function hashOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest()
}

const shown = (secret: string) => `${secret.slice(0, 12)}…`

interface Form {
  readonly form: string
  readonly pieces: readonly string[]
}

function formsOfSecret(secret: string): Form[] {
  const hidden = secret.slice(12)
  return [
    { form: 'the secret', pieces: piecesOf(hidden, 12) },
    { form: 'the secret in base64', pieces: [0, 1, 2].map((at) => inBase64(hidden, at)) },
    {
      form: 'the secret in hex',
      pieces: piecesOf(Buffer.from(hidden).toString('hex'), 24),
    },
    { form: 'the secret in UTF-16', pieces: piecesOf([...hidden].join('\0'), 24) },
  ]
}

function formsOfHash(hash: Buffer): Form[] {
  const hex = hash.toString('hex')
  const buffer = hex.replace(/..(?!$)/g, '$& ')
  return [
    {
      form: 'the hash',
      pieces: [...piecesOf(hex, 16), ...piecesOf(hex.toUpperCase(), 16)],
    },
    { form: 'the hash in base64', pieces: [hash.toString('base64url').slice(0, 42)] },
    { form: 'the hash in base64', pieces: [hash.toString('base64').slice(0, 42)] },
    { form: 'the hash as bytes', pieces: [hash.toString('latin1')] },
    { form: 'the hash as a shown Buffer', pieces: piecesOf(buffer, 24) },
    {
      form: 'the hash as a list',
      pieces: [',', ', '].map((comma) => [...hash].join(comma).slice(0, 60)),
    },
  ]
}

/** Pieces side by side: whatever shows twice their length holds a whole one. */
function piecesOf(text: string, length: number): string[] {
  const count = Math.floor(text.length / length)
  return Array.from({ length: count }, (_, at) => text.slice(at * length, (at + 1) * length))
}

/** What base64 makes of a text that begins at the n-th byte of a group of three. */
function inBase64(text: string, at: number): string {
  const whole = Buffer.from('\0'.repeat(at) + text).toString('base64')
  return whole.slice(4, 52)
}
