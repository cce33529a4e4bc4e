import { css } from './css.ts'

/** The dialogs and what is in them. */
export const dialog: string = css`
  dialog {
    inline-size: min(40rem, 100vw - 1.5rem);
    max-block-size: calc(100dvh - 1.5rem);
    padding: 0;
    border: 1px solid var(--_line);
    border-radius: calc(var(--_radius) * 1.4);
    box-shadow: 0 1.5rem 3.75rem rgb(0 0 0 / 0.3);
    overflow: hidden;
  }
  #confirm {
    inline-size: min(34rem, 100vw - 1.5rem);
  }
  ul {
    list-style: none;
  }
  dialog[open] {
    display: grid;
  }
  dialog::backdrop {
    background: rgb(15 23 42 / 0.5);
  }
  .dialog-box {
    display: grid;
    grid-template-rows: auto minmax(0, 1fr) auto;
    max-block-size: calc(100dvh - 1.625rem);
    container: dialog / inline-size;
  }
  .dialog-head,
  .dialog-foot {
    display: flex;
    gap: 0.625rem;
    align-items: center;
    padding: 0.875rem 1.25rem;
  }
  .dialog-head {
    justify-content: space-between;
  }
  .dialog-foot {
    flex-wrap: wrap;
    justify-content: flex-end;
    border-block-start: 1px solid var(--_line);
  }
  h2 {
    font-size: 1.25rem;
    font-weight: 600;
    line-height: 1.5;
    min-inline-size: 0;
    overflow-wrap: anywhere;
  }
  .dialog-body {
    display: grid;
    gap: 1.25rem;
    padding: 4px 1.25rem 1.25rem;
    overflow-y: auto;
    overscroll-behavior: contain;
    scroll-padding-block: 0.75rem;
  }
  .dialog-body[inert] {
    opacity: 0.75;
  }
  .prose {
    display: grid;
    gap: 0.625rem;
    overflow-wrap: anywhere;
  }
  .used bdi {
    font-weight: 700;
  }
  .prose bdi[dir='ltr'] {
    font: 500 0.875rem / 1.5 var(--_mono);
  }

  .field {
    min-inline-size: 0;
  }
  .field > :is(label, legend) {
    display: block;
    margin-block-end: 4px;
    font-weight: 600;
  }
  .field > input,
  .field > .error-text {
    margin-block-end: 4px;
  }
  .field :is([aria-invalid], .error-text) {
    scroll-margin-block-start: 6rem;
  }
  p.hint {
    display: flex;
    flex-wrap: wrap;
    gap: 2px 1rem;
    justify-content: space-between;
  }
  .options {
    display: grid;
    grid-template-columns: 1fr 1fr;
    gap: 0.625rem;
  }
  .option {
    display: flex;
    gap: 0.625rem;
    align-items: flex-start;
    padding: 0.625rem 0.75rem;
    border: 1px solid var(--_control);
    border-radius: var(--_radius);
    cursor: pointer;
  }
  .option input {
    margin-block-start: 0.3125rem;
  }
  .option.chosen {
    border-color: var(--_primary);
    background: color-mix(in srgb, var(--_primary) 8%, var(--_bg));
    box-shadow: inset 0 0 0 1px var(--_primary);
  }
  .option-title {
    display: block;
    font-weight: 500;
  }
  .option code,
  .box code {
    color: var(--_muted);
  }
  .scope-tools {
    display: flex;
    flex-wrap: wrap;
    gap: 0.375rem 1rem;
    align-items: center;
    justify-content: space-between;
    margin-block-start: 0.5rem;
  }
  .scope-tools + input {
    margin-block-start: 0.5rem;
  }
  .scope-count {
    position: sticky;
    inset-block-start: 0;
    z-index: 1;
    padding-block: 4px;
    background: var(--_bg);
  }
  .scope-groups {
    display: grid;
    grid-template-columns: 1fr 1fr;
    gap: 0.625rem;
    margin-block: 0.625rem 0.375rem;
  }
  .scope-group {
    padding: 4px 0.75rem 0.5rem;
    border: 1px solid var(--_line);
    border-radius: var(--_radius);
    min-inline-size: 0;
  }
  .scope-group legend {
    float: inline-start;
    inline-size: 100%;
    border-block-end: 1px solid var(--_line);
    margin-block-end: 4px;
  }
  .scope-group legend + * {
    clear: both;
  }
  .box {
    display: flex;
    gap: 0.625rem;
    align-items: center;
    min-block-size: 2.5rem;
    cursor: pointer;
    scroll-margin-block: 0.75rem;
  }
  .strong-label {
    font-weight: 600;
  }
  .scope-text {
    display: grid;
    padding-block: 4px;
    line-height: 1.5;
    font-size: 0.9375rem;
  }
  .box code {
    font-size: 0.875rem;
  }

  @container dialog (max-width: 32.5rem) {
    .options,
    .scope-groups {
      grid-template-columns: 1fr;
    }
    .dialog-foot > button {
      flex: 1;
      min-block-size: 2.75rem;
    }
    .dialog-foot > .error-text {
      flex: 1 1 100%;
    }
    .dialog-box :is(.icon-button, .small-button) {
      min-block-size: 2.75rem;
    }
  }
  @media (forced-colors: active) {
    .badge,
    .banner,
    .note,
    .prefix,
    .allowance svg {
      border: 1px solid CanvasText;
    }
    .banner {
      border-inline-start-width: 0.375rem;
    }
    .fill {
      fill: Highlight;
    }
    .track {
      fill: GrayText;
    }
  }
`
