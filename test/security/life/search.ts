import { createHash } from 'node:crypto'

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
  const forms = secrets.flatMap((secret) => [
    ...formsOfSecret(secret),
    ...(hashes === 'forbidden' ? formsOfHash(secret) : []),
  ])
  return places.flatMap(({ name, content }) => {
    // Latin-1 keeps every byte as one character, so that files and texts are searched alike.
    const text = typeof content === 'string' ? content : content.toString('latin1')
    const found = forms.filter(({ pieces }) => pieces.some((piece) => text.includes(piece)))
    return found.map(({ form }) => `${name}: ${form}`)
  })
}

interface Form {
  readonly form: string
  readonly pieces: readonly string[]
}

function formsOfSecret(secret: string): Form[] {
  const hidden = secret.slice(12)
  return [
    { form: 'the secret', pieces: piecesOf(hidden, 12) },
    { form: 'the secret in base64', pieces: [0, 1, 2].map((at) => inBase64(hidden, at)) },
    { form: 'the secret in hex', pieces: piecesOf(Buffer.from(hidden).toString('hex'), 24) },
    { form: 'the secret in UTF-16', pieces: piecesOf([...hidden].join('\0'), 24) },
  ]
}

function formsOfHash(secret: string): Form[] {
  const hash = createHash('sha256').update(secret).digest()
  const hex = hash.toString('hex')
  const shown = hex.replace(/..(?!$)/g, '$& ')
  const base64 = [hash.toString('base64url'), hash.toString('base64')]
  return [
    { form: 'the hash', pieces: [...piecesOf(hex, 16), ...piecesOf(hex.toUpperCase(), 16)] },
    { form: 'the hash in base64', pieces: base64.map((text) => text.slice(0, 42)) },
    { form: 'the hash as bytes', pieces: [hash.toString('latin1')] },
    { form: 'the hash as a shown Buffer', pieces: piecesOf(shown, 24) },
    { form: 'the hash as a list', pieces: [',', ', '].map((comma) => [...hash].join(comma)) },
  ]
}

/** Pieces side by side: whatever shows twice their length holds a whole one. */
function piecesOf(text: string, length: number): string[] {
  const count = Math.floor(text.length / length)
  return Array.from({ length: count }, (_, at) => text.slice(at * length, (at + 1) * length))
}

/** What base64 makes of a text that begins at the n-th byte of a group of three. */
function inBase64(text: string, at: number): string {
  return Buffer.from('\0'.repeat(at) + text)
    .toString('base64')
    .slice(4, 52)
}
