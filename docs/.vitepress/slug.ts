/** The anchor of a heading, as GitHub makes it: the pages are read there too. */
export function slug(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/\\|<[^>]*>/g, '')
    .replaceAll(/[^\p{L}\p{N}\p{M} _-]/gu, '')
    .replaceAll(' ', '-')
}
