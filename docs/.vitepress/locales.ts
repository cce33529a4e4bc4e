import type { DefaultTheme } from 'vitepress'

/** The words of the theme in Arabic. */
export const arabicTexts: DefaultTheme.Config = {
  nav: [
    { text: 'البداية', link: '/ar/getting-started' },
    { text: 'دورة حياة المفتاح', link: '/ar/key-lifecycle' },
    { text: 'مثال حي', link: '/ar/live-example' },
  ],
  outline: { level: [2, 3], label: 'في هذه الصفحة' },
  docFooter: { prev: 'السابق', next: 'التالي' },
  darkModeSwitchLabel: 'المظهر',
  lightModeSwitchTitle: 'المظهر الفاتح',
  darkModeSwitchTitle: 'المظهر الداكن',
  sidebarMenuLabel: 'القائمة',
  returnToTopLabel: 'إلى أعلى الصفحة',
  langMenuLabel: 'اللغة',
  skipToContentLabel: 'إلى المحتوى',
  notFound: {
    title: 'الصفحة غير موجودة',
    quote: 'لا توجد صفحة بهذا العنوان.',
    linkLabel: 'إلى البداية',
    linkText: 'إلى البداية',
  },
}

/** The words of the search in Arabic. */
export const searchTexts: DefaultTheme.LocalSearchOptions['translations'] = {
  button: { buttonText: 'بحث', buttonAriaLabel: 'بحث' },
  modal: {
    displayDetails: 'إظهار التفاصيل',
    resetButtonTitle: 'مسح البحث',
    backButtonTitle: 'إغلاق البحث',
    noResultsText: 'لا نتائج لـ',
    footer: {
      selectText: 'اختيار',
      navigateText: 'تنقل',
      closeText: 'إغلاق',
    },
  },
}
