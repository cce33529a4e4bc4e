import { lazyAr } from '../../../adapters/ui/lazy/strings-ar.ts'
import { lazyEn } from '../../../adapters/ui/lazy/strings-en.ts'
import { ar as firstAr } from '../../../adapters/ui/strings/ar.ts'
import { en as firstEn } from '../../../adapters/ui/strings/en.ts'
import { addMessages } from '../../../adapters/ui/strings/translator.ts'

/** Every sentence of the tab, of both its files. */
export const ar = { ...firstAr, ...lazyAr }
export const en = { ...firstEn, ...lazyEn }

// As in a browser that has loaded both.
addMessages({ ar: lazyAr, en: lazyEn })
