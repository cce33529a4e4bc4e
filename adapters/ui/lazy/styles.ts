import { css } from '../styles/css.ts'

/** The styles of what loads lazily, for a sheet after the first one. */
export const styles: string = css`
  /* A page on paper shows the keys: never a secret, and nothing that could be pressed. */
  @media print {
    .header-actions,
    .banner,
    .toolbar,
    .actions,
    .note,
    .center,
    dialog,
    #menu {
      display: none !important;
    }
    tr {
      break-inside: avoid;
    }
  }
  /* The exact instant, and why a button is off, for keyboards and fingers too. */
  [part='rotate-button'][title] {
    position: relative;
  }
  :is(time, [part='rotate-button'])[title]:focus::after {
    content: attr(title) / '';
    position: absolute;
    inset-block-end: calc(100% + 0.375rem);
    inset-inline: 0 auto;
    z-index: 1;
    inline-size: max-content;
    max-inline-size: 14em;
    padding: 2px 0.625rem;
    border-radius: 0.375rem;
    background: var(--_fg);
    color: var(--_surface);
    white-space: normal;
  }
  [part='rotate-button'][title]:focus::after {
    inset-inline: auto 0;
  }
  .panel.slim {
    padding: 1.5rem;
  }
  summary {
    list-style: none;
  }
  summary::-webkit-details-marker {
    display: none;
  }
  details[open] > .fold::after {
    transform: rotate(-135deg);
  }
  .search {
    position: relative;
    flex: 0 1 17rem;
    min-inline-size: 0;
  }
  .search .icon {
    position: absolute;
    inset-block-start: calc(50% - 0.5625rem);
    inset-inline-start: 0.75rem;
    color: var(--_muted);
    pointer-events: none;
  }
  .search input {
    min-block-size: var(--_control-size);
    padding-block: 0;
    padding-inline-start: 2.5rem;
  }
  .total {
    margin-inline-start: auto;
    font-variant-numeric: tabular-nums;
  }
  @container tab (max-width: 52em) {
    .search {
      flex: 1;
    }
  }
  @container tab (max-width: 44em) {
    #root [part='rotate-button']::after {
      inset-inline: 0 auto;
    }
  }
  .details-actions {
    justify-content: flex-start;
  }
  .details-actions .quiet {
    border-color: var(--_edge);
    color: var(--_fg);
  }
  .usage > .row {
    column-gap: 1rem;
  }
  .usage details,
  dl {
    font-size: 0.875rem;
  }
  .chart {
    display: grid;
    gap: 0.25rem;
  }
  .chart .axis {
    display: flex;
    justify-content: space-between;
  }
  .calm {
    --_b-bg: var(--_soft);
    --_b-fg: var(--_fg);
    --_b-border: var(--_line);
  }
  #menu button > span {
    text-align: start;
  }
  .reason {
    display: block;
  }
  #menu {
    position: fixed;
    inset: auto;
    margin: 0;
    padding: 0.375rem;
    border: 1px solid var(--_line);
    border-radius: var(--_radius);
    background: var(--_field);
    color: var(--_fg);
    box-shadow: var(--_shadow);
  }
  #menu:popover-open {
    display: grid;
  }
  #menu button {
    justify-content: start;
    border-color: transparent;
    font-weight: 400;
  }

  .drawer {
    inline-size: min(44rem, 100vw);
    max-inline-size: none;
    block-size: 100dvh;
    max-block-size: none;
    margin-block: 0;
    margin-inline: auto 0;
    border-width: 0;
    border-inline-start-width: 1px;
    border-radius: 0;
  }
  .drawer .dialog-box {
    block-size: 100dvh;
    max-block-size: none;
  }
  .drawer .dialog-body {
    flex-grow: 1;
    align-content: start;
  }
  h3 {
    font-weight: 400;
  }
  .bars {
    inline-size: 100%;
    block-size: 5rem;
  }
  [dir='rtl'] .bars {
    transform: scaleX(-1);
  }
  .swatch {
    inline-size: 0.75rem;
    block-size: 0.75rem;
  }
  .accepted {
    fill: var(--_primary);
  }
  .refused {
    fill: var(--_danger);
  }
  .base {
    fill: var(--_control);
  }
  .history ol,
  .history li {
    display: grid;
    gap: 0.25rem;
    overflow-wrap: anywhere;
  }
  .history ol {
    gap: 0.75rem;
  }
  @media (forced-colors: active) {
    .accepted {
      fill: Highlight;
    }
    .refused {
      fill: CanvasText;
    }
  }
  dl {
    display: grid;
    gap: 1rem 1.25rem;
    align-content: start;
  }
  @container dialog (min-width: 36em) {
    dl {
      grid-template-columns: 1fr 1fr;
    }
    dl > .wide {
      grid-column: 1 / -1;
    }
  }
  dd {
    display: flex;
    flex-wrap: wrap;
    gap: 0.5rem;
    align-items: center;
    overflow-wrap: anywhere;
  }
  .overlaps {
    display: grid;
    grid-template-columns: repeat(2, auto);
    justify-content: start;
    gap: 0 2rem;
  }
  .instead {
    margin-inline-end: auto;
  }
  @container dialog (max-width: 32.5em) {
    .dialog-foot > .instead {
      flex-basis: 100%;
    }
    .overlaps {
      grid-template-columns: 1fr 1fr;
      column-gap: 0.75rem;
    }
  }

  .call {
    margin-block-start: 0.25rem;
  }
  .code {
    margin: 0;
    padding: 0.5rem 0.75rem;
    font: 500 0.8125rem / 1.6 var(--_mono);
    overflow-x: auto;
    overflow-wrap: normal;
    user-select: text;
  }
`
