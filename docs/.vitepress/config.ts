import { join } from 'node:path'
import postcssRTLCSS from 'postcss-rtlcss'
import { type DefaultTheme, defineConfig } from 'vitepress'
import { addressOf } from './addresses.ts'
import { arabicTexts, searchTexts } from './locales.ts'
import { adapted } from './markdown.ts'
import { aboutOf, arabicNavigation, navigation, type Page, ROOT } from './navigation.ts'
import { repository } from './repository.ts'
import { foldTerm, rankOf } from './search.ts'
import { slug } from './slug.ts'
import { writeTexts } from './texts-for-assistants.ts'

/** The pages are outside of this folder, which has the packages that they are compiled to use. */
const packagesOfPages = {
  name: 'packages-of-pages',
  enforce: 'pre' as const,
  resolveId(id: string, importer?: string, options?: { readonly ssr?: boolean }) {
    if (!/^vue(\/|$)/.test(id)) return null
    if (options?.ssr) return { id, external: true }
    if (!importer?.endsWith('.md')) return null
    const here = join(ROOT, 'docs/.vitepress/config.ts')
    return (this as unknown as Resolver).resolve(id, here, { skipSelf: true })
  },
}

/** The search answers 40 ms after the last key, instead of 200. */
const fasterSearch = {
  name: 'faster-search',
  enforce: 'pre' as const,
  transform(code: string, id: string) {
    if (!id.endsWith('/VPLocalSearchBox.vue')) return null
    return code.replace('{ debounce: 200,', '{ debounce: 40,')
  },
}

/**
 * The start page gets a main landmark, and the bar its class for a page with a sidebar, which the theme adds only
 * in the browser: the bar would move.
 */
function completed(html: string): string {
  const withMain = html.replace('<div class="VPHome"', '<div role="main" class="VPHome"')
  if (!/class="VPContent[^"]* has-sidebar/.test(withMain)) return withMain
  return withMain.replace('class="VPNavBar"', 'class="VPNavBar has-sidebar top"')
}

interface Resolver {
  resolve(id: string, importer: string, options: { readonly skipSelf: boolean }): null
}

const linkOf = (file: string) => `/${addressOf(file)}`.replace(/\.md$/, '').replace(/\/index$/, '/')

function itemOf({ file, title, under }: Page): DefaultTheme.SidebarItem {
  const items = under.map(itemOf)
  return { text: title, link: linkOf(file), ...(items.length > 0 && { items, collapsed: true }) }
}

/** A key, drawn in the page itself: no request for it. */
const ICON = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" fill="none" stroke="#0f766e" stroke-width="4"><circle cx="10" cy="16" r="7"/><path d="M17 16h13v6M25 16v5"/></svg>',
)}`

const english = navigation().map(({ title, pages }) => ({ text: title, items: pages.map(itemOf) }))
const github = repository()

export default defineConfig({
  title: 'miftah',
  description: 'API keys for TypeScript backends',
  srcDir: ROOT,
  outDir: join(ROOT, 'docs/.vitepress/dist'),
  cacheDir: join(ROOT, 'node_modules/.cache/site'),
  srcExclude: [
    '{adapters,examples,src,test,coverage,node_modules,.*}/**',
    'docs/.vitepress/**',
    '{,docs/ar/}README.md',
  ],
  head: [['link', { rel: 'icon', href: ICON }]],
  rewrites: (file) => addressOf(file),
  ignoreDeadLinks: false,
  markdown: {
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    anchor: { slugify: slug },
    config: adapted,
    toc: { slugify: slug },
    languageAlias: { caddyfile: 'nginx', haproxy: 'nginx' },
  },
  locales: {
    root: { label: 'English', lang: 'en' },
    ar: {
      ...{ label: 'العربية', lang: 'ar', dir: 'rtl', title: 'مفتاح', link: '/ar/' },
      description: 'مفاتيح API لخوادم TypeScript',
      themeConfig: {
        ...arabicTexts,
        sidebar: [{ text: 'الأدلة', items: arabicNavigation().map(itemOf) }],
      },
    },
  },
  themeConfig: {
    // Not every page has its Arabic one: the other language begins at its start page.
    i18nRouting: false,
    sidebar: english,
    outline: [2, 3],
    nav: [
      { text: 'Getting started', link: '/getting-started' },
      { text: 'Live example', link: '/live-example' },
      { text: 'Guides', link: '/guides' },
      { text: 'API', link: '/api/' },
    ],
    ...(github !== null && { socialLinks: [{ icon: 'github', link: github }] }),
    search: {
      provider: 'local',
      options: {
        miniSearch: {
          options: { processTerm: foldTerm },
          searchOptions: { boostDocument: rankOf },
        },
        locales: { ar: { translations: searchTexts } },
      },
    },
  },
  vue: { template: { compilerOptions: { isCustomElement: (tag) => tag === 'api-keys-tab' } } },
  vite: {
    plugins: [packagesOfPages, fasterSearch],
    publicDir: false,
    css: {
      postcss: {
        plugins: [
          postcssRTLCSS({ ltrPrefix: ':where([dir="ltr"])', rtlPrefix: ':where([dir="rtl"])' }),
        ],
      },
    },
    build: { chunkSizeWarningLimit: 1_500 },
    resolve: {
      alias: [
        // The live example runs the built package.
        { find: /^miftah$/, replacement: join(ROOT, 'dist/index.js') },
        { find: /^miftah\/(.+)$/, replacement: `${ROOT}dist/$1.js` },
      ],
    },
  },
  transformPageData: ({ filePath, description }) => ({
    description: description || aboutOf(filePath).replace(/^./u, (letter) => letter.toUpperCase()),
  }),
  transformHtml: completed,
  buildEnd({ outDir }) {
    writeTexts(outDir, (file) => addressOf(file).replace(/\.md$/, ''))
  },
})
