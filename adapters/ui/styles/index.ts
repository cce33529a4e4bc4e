import { base } from './base.ts'
import { cards } from './cards.ts'
import { inFontSize } from './css.ts'
import { dialog } from './dialog.ts'
import { page } from './page.ts'
import { table } from './table.ts'
import { tokens } from './tokens.ts'

/** All styles of the tab, for one constructable sheet: no style attribute, so a strict CSP holds. */
export const styles: string = tokens + inFontSize([base, page, table, cards, dialog].join(''))
