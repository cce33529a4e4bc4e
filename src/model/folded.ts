/** Letters that people use interchangeably, and digits, each with the form it is searched as. */
const ALIKE: Readonly<Record<string, string>> = {
  // Alef wasla; the other alefs lose their hamza or madda with the marks.
  ٱ: 'ا',
  // Alef maksura, and the Persian ya.
  ى: 'ي',
  ی: 'ي',
  // The Persian kaf.
  ک: 'ك',
  // Ta marbuta.
  ة: 'ه',
  // Sigma at the end of a word.
  ς: 'σ',
  ...digits('٠١٢٣٤٥٦٧٨٩'),
  ...digits('۰۱۲۳۴۵۶۷۸۹'),
}

const ALIKE_PATTERN = new RegExp(`[${Object.keys(ALIKE).join('')}]`, 'g')

/** Marks, the tatweel, and characters that draw nothing. */
const UNSEEN = /[\p{M}\p{Default_Ignorable_Code_Point}\u0640]/gu

/**
 * A text as it is searched: without case, marks and tatweel, with one form of each Arabic letter and digit,
 * and with single spaces.
 */
export function folded(text: string): string {
  const plain = text.normalize('NFKD').replace(UNSEEN, '').toUpperCase().toLowerCase()
  const alike = plain.replace(ALIKE_PATTERN, (character) => ALIKE[character] as string)
  return alike.trim().replace(/\s+/g, ' ')
}

function digits(forms: string): Record<string, string> {
  return Object.fromEntries([...forms].map((form, digit) => [form, String(digit)]))
}
