import { css } from './css.ts'

/*
 * Every colour is a pair for light and dark that was measured against WCAG 2.2: text at least 4.5:1,
 * borders and icons at least 3:1. Public names are --apikeys-*; private ones resolve them once.
 */
export const tokens: string = css`
  :host {
    --_rem: var(--apikeys-font-size, 1rem);
    font-size: var(--_rem);
    --_font: var(--apikeys-font, system-ui, 'Segoe UI', 'Noto Sans Arabic', 'Noto Sans', Tahoma, sans-serif);
    --_mono: var(--apikeys-font-mono, ui-monospace, 'SF Mono', 'Cascadia Mono', 'Roboto Mono', Menlo, Consolas, monospace);
    --_radius: var(--apikeys-radius, 10px);
    --_density: var(--apikeys-density, 1);
    --_control-size: var(--apikeys-control-height, calc(2.25 * var(--_rem)));
    --_shadow: var(--apikeys-shadow, 0 2px 6px rgb(0 0 0 / 0.08), 0 16px 40px rgb(0 0 0 / 0.18));
    --_badge-bg: var(--apikeys-badge-bg, transparent);
    --_badge-fg: var(--apikeys-badge-fg, light-dark(#374151, #d1d5db));
    --_space: var(--apikeys-space, 16px);
    --_bg: var(--apikeys-bg, transparent);
    --_surface: var(--apikeys-surface, light-dark(#ffffff, #111827));
    --_fg: var(--apikeys-fg, light-dark(#111827, #f3f4f6));
    --_muted: var(--apikeys-muted, light-dark(#4b5563, #9ca3af));
    --_line: var(--apikeys-line, light-dark(#e5e7eb, #2b3544));
    --_control: var(--apikeys-control-border, light-dark(#6b7280, #9ca3af));
    --_edge: color-mix(in srgb, var(--_control) 50%, transparent);
    --_field: var(--apikeys-field-bg, light-dark(#ffffff, #1f2937));
    --_soft: var(--apikeys-soft-bg, light-dark(#f3f4f6, #1f2937));
    --_ok-bg: var(--apikeys-active-bg, light-dark(#dcfce7, #052e16));
    --_ok-fg: var(--apikeys-active-fg, light-dark(#14532d, #bbf7d0));
    --_primary: var(--apikeys-primary, light-dark(#0f766e, #2dd4bf));
    --_on-primary: var(--apikeys-on-primary, light-dark(#ffffff, #042f2e));
    --_danger: var(--apikeys-danger, light-dark(#b91c1c, #fca5a5));
    --_on-danger: light-dark(#ffffff, #450a0a);
    --_danger-bg: light-dark(#fef2f2, #2c1215);
    --_focus: var(--apikeys-focus, light-dark(#1d4ed8, #93c5fd));
    --_amber-bg: var(--apikeys-amber-bg, light-dark(#fffbeb, #2a1b05));
    --_amber-fg: var(--apikeys-amber-fg, light-dark(#78350f, #fde68a));
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
