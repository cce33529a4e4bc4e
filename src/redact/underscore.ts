/**
 * How `_` is written: as it is; escaped in URLs (up to three times), in Markdown and the like, in JSON
 * and JavaScript (also within JSON), in quoted-printable and encoded words of mail, and in HTML. Letters
 * and digits are not escaped by anyone.
 */
const SPELLINGS = [
  '_',
  '%(?:25){0,2}5[Ff]',
  '\\\\{1,8}(?:_|u005[Ff]|x5[Ff])',
  '=5[Ff]',
  '&(?:lowbar|UnderBar|#0{0,8}95|#[Xx]0{0,8}5[Ff]);',
]

/** The pattern of `_` in any of its spellings. */
export const UNDERSCORE = `(?:${SPELLINGS.join('|')})`
