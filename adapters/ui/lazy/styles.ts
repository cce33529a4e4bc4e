import { css } from '../styles/css.ts'

/** The styles of what loads lazily, for a sheet after the first one. */
export const styles: string = css`
  .search {
    display: grid;
    flex: 0 1 20em;
  }
  #creators {
    flex: 0 1 11em;
    min-inline-size: 0;
    inline-size: auto;
  }
  @container tab (max-width: 45rem) {
    .toolbar > .beside {
      grid-template-columns: minmax(0, 1fr);
      flex: 1 1 55%;
      min-inline-size: 0;
    }
    /* As wide as the label of a search that has the line for itself. */
    .beside > span {
      inline-size: 100cqi;
    }
    #creators {
      flex: 1 1 30%;
    }
    #root [part='rotate-button']::after {
      inset-inline: 0 auto;
    }
  }
  .choose {
    display: inline-flex;
    padding: 0.625rem;
    margin: -0.625rem;
    margin-inline-end: 0;
    vertical-align: middle;
    cursor: pointer;
  }
  .chosen {
    position: sticky;
    inset-block-start: 0;
    z-index: 2;
    background: var(--_bg);
  }
  .chosen > .grow {
    flex-basis: 6rem;
  }
  .uses-list {
    display: grid;
    gap: 0.5rem;
    padding: 0;
    margin: 0;
    overflow-wrap: anywhere;
  }
  .uses-list .muted {
    display: block;
  }
  progress {
    inline-size: 100%;
    accent-color: var(--_danger);
  }
  #menu button > span {
    text-align: start;
  }
  .reason {
    display: block;
  }
  /* Why a button is off, for keyboards and fingers too. */
  [part='rotate-button'][title] {
    position: relative;
  }
  [part='rotate-button'][title]:focus::after {
    content: attr(title) / '';
    position: absolute;
    inset-block-end: calc(100% + 0.375rem);
    inset-inline-end: 0;
    z-index: 1;
    inline-size: max-content;
    max-inline-size: 14em;
    padding: 2px 0.625rem;
    border-radius: 0.375rem;
    background: var(--_fg);
    color: var(--_bg);
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
    box-shadow: 0 0.5rem 1.5rem rgb(0 0 0 / 0.2);
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
    inline-size: min(28rem, 100vw);
    block-size: 100dvh;
    max-block-size: none;
    margin-block: 0;
    margin-inline: auto 0;
    border-width: 0;
    border-inline-start-width: 1px;
    border-radius: 0;
  }
  .drawer .dialog-box {
    max-block-size: none;
  }
  .usage,
  .history {
    display: grid;
    gap: 0.5rem;
  }
  h3 {
    margin: 0;
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
  .usage ol,
  .history ol {
    margin: 0;
    padding: 0;
    list-style: none;
  }
  .event-about {
    display: flex;
    flex-wrap: wrap;
    gap: 0 1rem;
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
    gap: 1.25rem;
    margin: 0;
    align-content: start;
  }
  dd {
    display: flex;
    flex-wrap: wrap;
    gap: 0.5rem;
    align-items: center;
    margin: 0;
    overflow-wrap: anywhere;
  }
  [data-note='overtaken'] .grow {
    flex-basis: 14rem;
  }
  .side {
    display: grid;
    padding: 0.625rem 0.75rem;
    border: 1px solid var(--_line);
    border-radius: var(--_radius);
    overflow-wrap: anywhere;
  }
  .overlaps {
    display: flex;
    flex-wrap: wrap;
    gap: 0 1.25rem;
  }
  .instead {
    margin-inline-end: auto;
  }
  @container dialog (max-width: 32.5rem) {
    .dialog-foot > .instead {
      flex-basis: 100%;
    }
  }

  .call {
    display: grid;
    gap: 0.5rem;
  }
  .call .grow {
    flex-basis: 12rem;
  }
  .code {
    margin: 0;
    padding: 0.5rem 0.75rem;
    font: 500 0.8125rem / 1.6 var(--_mono);
    overflow-x: auto;
    overflow-wrap: normal;
    user-select: text;
  }
  .works {
    display: flex;
    gap: 0.5rem;
    align-items: center;
    font-weight: 600;
  }
`
