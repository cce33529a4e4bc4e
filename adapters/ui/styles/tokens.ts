/** Marks a template as a style sheet, for editors and for the build that shrinks it. */
export const css = String.raw

/**
 * A sheet in which a `rem` is the font size of the tab, `--apikeys-font-size`, whatever that of the page
 * is. Conditions of containers know no variables: they are written in `em`.
 */
export function inFontSize(sheet: string): string {
  return sheet.replace(/(-?[\d.]+)rem\b/g, 'calc($1 * var(--_rem))')
}

/*
 * Every colour is a pair for light and dark that was measured against WCAG 2.2: text at least 4.5:1,
 * edges of fields and dots at least 3:1. Public names are --apikeys-*; private ones resolve them once.
 */
export const tokens: string = css`
  :host {
    --_rem: var(--apikeys-font-size, max(1rem, 16px));
    font-size: var(--_rem);
    --_font: var(--apikeys-font, system-ui, 'Segoe UI', 'Noto Sans Arabic', 'Noto Sans', Tahoma, sans-serif);
    --_mono: var(--apikeys-font-mono, ui-monospace, 'SF Mono', 'Cascadia Mono', 'Roboto Mono', Menlo, Consolas, monospace);
    --_radius: var(--apikeys-radius, 8px);
    --_density: var(--apikeys-density, 1);
    --_control-size: var(--apikeys-control-height, calc(2.25 * var(--_rem)));
    --_small-size: calc(2 * var(--_rem));
    --_shadow: var(--apikeys-shadow, 0 16px 40px rgb(0 0 0 / 0.12));
    --_space: var(--apikeys-space, 24px);
    --_bg: var(--apikeys-bg, transparent);
    --_surface: var(--apikeys-surface, light-dark(#ffffff, #17181c));
    --_soft: var(--apikeys-soft-bg, light-dark(#f6f7f8, #232529));
    --_field: var(--apikeys-field-bg, light-dark(#ffffff, #1d1f23));
    --_fg: var(--apikeys-fg, light-dark(#18181b, #f4f4f5));
    --_muted: var(--apikeys-muted, light-dark(#5b6069, #a1a6b0));
    --_line: var(--apikeys-line, light-dark(#e7e8eb, #2f3238));
    --_control: var(--apikeys-control-border, light-dark(#8b9099, #7d828c));
    --_edge: color-mix(in srgb, var(--_control) 45%, transparent);
    --_primary: var(--apikeys-primary, light-dark(#0f766e, #2dd4bf));
    --_on-primary: var(--apikeys-on-primary, light-dark(#ffffff, #042f2e));
    --_active: var(--apikeys-active, light-dark(#16a34a, #4ade80));
    --_due: var(--apikeys-due, light-dark(#92400e, #fbbf24));
    --_danger: var(--apikeys-danger, light-dark(#b42318, #fca5a5));
    --_on-danger: light-dark(#ffffff, #450a0a);
    --_danger-bg: color-mix(in srgb, var(--_danger) 8%, transparent);
    --_focus: var(--apikeys-focus, light-dark(#1d4ed8, #93c5fd));
    --_amber-bg: var(--apikeys-amber-bg, light-dark(#fffaf0, #2a1b05));
    --_amber-fg: var(--apikeys-amber-fg, light-dark(#6b4a12, #fde68a));
    --_amber-border: var(--apikeys-amber-border, light-dark(#b45309, #f59e0b));
    --_amber-strong: var(--apikeys-amber-strong, light-dark(#92400e, #fbbf24));
    --_on-amber-strong: var(--apikeys-on-amber-strong, light-dark(#ffffff, #1c1204));
    --_blue-bg: var(--apikeys-blue-bg, light-dark(#eff6ff, #0b1b3a));
    --_blue-fg: var(--apikeys-blue-fg, light-dark(#1e3a8a, #bfdbfe));
    --_blue-border: var(--apikeys-blue-border, light-dark(#1d4ed8, #60a5fa));
    --_blue-strong: var(--apikeys-blue-strong, light-dark(#1d4ed8, #60a5fa));
    --_on-blue-strong: var(--apikeys-on-blue-strong, light-dark(#ffffff, #0b1220));
  }
  [data-theme='light'] {
    color-scheme: light;
  }
  [data-theme='dark'] {
    color-scheme: dark;
  }
`
