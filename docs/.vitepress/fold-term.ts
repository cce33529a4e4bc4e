/**
 * A word as the search keeps it: «مفتاح», «المفتاح» and «مِفتاح» are one. VitePress sends the text of this
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
  return alike.replace(/^(?:[وف]?[بك]?ال|[وف]?لل)(?=\p{L}{3})/u, '')
}
