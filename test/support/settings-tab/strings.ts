import { ar as firstAr } from '../../../adapters/ui/strings/ar.ts'
import { en as firstEn } from '../../../adapters/ui/strings/en.ts'
import { laterAr } from '../../../adapters/ui/strings/later-ar.ts'
import { laterEn } from '../../../adapters/ui/strings/later-en.ts'
import { addMessages } from '../../../adapters/ui/strings/translator.ts'

/** Every sentence of the tab, of both its files. */
export const ar = { ...firstAr, ...laterAr }
export const en = { ...firstEn, ...laterEn }

// As in a browser that has loaded both.
addMessages({ ar: laterAr, en: laterEn })
