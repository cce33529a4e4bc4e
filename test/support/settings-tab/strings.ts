import { moreAr } from '../../../adapters/ui/more/strings-ar.ts'
import { moreEn } from '../../../adapters/ui/more/strings-en.ts'
import { ar as firstAr } from '../../../adapters/ui/strings/ar.ts'
import { en as firstEn } from '../../../adapters/ui/strings/en.ts'
import { addMessages } from '../../../adapters/ui/strings/translator.ts'

/** Every sentence of the tab, of both its files. */
export const ar = { ...firstAr, ...moreAr }
export const en = { ...firstEn, ...moreEn }

// As in a browser that has loaded both.
addMessages({ ar: moreAr, en: moreEn })
