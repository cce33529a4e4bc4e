/**
 * A word as the search keeps it: «مفتاح», «المفتاح» and «مِفتاح» are one, and so are words that mean the same. VitePress sends the text of this
 * function to the browser, so it uses nothing from outside itself.
 */
export function foldTerm(term: string): string {
  const plain = term
    .normalize('NFKD')
    .replace(/[\p{M}\u0640]/gu, '')
    .toLowerCase()
  const alike = plain
    .replace(/[ٱآأإ]/g, 'ا')
    .replace(/ى/g, 'ي')
    .replace(/ؤ/g, 'و')
    .replace(/ئ/g, 'ي')
    .replace(/ة/g, 'ه')
  // The article, also behind «و», «ب», «ك» and «ل», from words that keep three letters without it.
  const bare = alike.replace(/^(?:[وف]?[بك]?ال|[وف]?لل)(?=\p{L}{3})/u, '')
  // What people type for a word of the pages.
  const words: Readonly<Record<string, string>> = {
    latency: 'benchmarks',
    logout: 'session',
    signout: 'session',
    نطاقات: 'صلاحيات',
    نطاق: 'صلاحيه',
    تدوير: 'استبدال',
    الغاء: 'ابطال',
  }
  return Object.hasOwn(words, bare) ? (words[bare] ?? bare) : bare
}

/** How much a page counts in the search: guides first, what proves them and the reference after them. Sent as well. */
export function rankOf(id: string): number {
  if (/^\/api\//.test(id)) return 0.2
  return /^\/(guides|changelog|contributing|design|standards|upgrading|vectors)/.test(id) ? 0.5 : 1
}
