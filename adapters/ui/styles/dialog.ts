import { css } from './css.ts'

/** The dialogs and what is in them. */
export const dialog: string = css`
  dialog {
    inline-size: min(640px, 100vw - 24px);
    max-block-size: calc(100dvh - 24px);
    padding: 0;
    border: 1px solid var(--_line);
    border-radius: calc(var(--_radius) * 1.4);
    box-shadow: 0 24px 60px rgb(0 0 0 / 0.3);
    overflow: hidden;
  }
  #confirm {
    inline-size: min(480px, 100vw - 24px);
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
    max-block-size: calc(100dvh - 26px);
    container: dialog / inline-size;
  }
  .dialog-head,
  .dialog-foot {
    display: flex;
    gap: 10px;
    align-items: center;
    padding: 14px 20px;
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
    font-size: 20px;
    font-weight: 600;
    line-height: 1.5;
    min-inline-size: 0;
    overflow-wrap: anywhere;
  }
  .dialog-body {
    display: grid;
    gap: 20px;
    padding: 4px 20px 20px;
    overflow-y: auto;
    overscroll-behavior: contain;
    scroll-padding-block: 12px;
  }
  .dialog-body[inert] {
    opacity: 0.75;
  }
  .prose {
    display: grid;
    gap: 10px;
    overflow-wrap: anywhere;
  }
  .prose bdi[dir='ltr'] {
    font: 500 14px / 1.5 var(--_mono);
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
    scroll-margin-block-start: 96px;
  }
  p.hint {
    display: flex;
    flex-wrap: wrap;
    gap: 2px 16px;
    justify-content: space-between;
  }
  .options {
    display: grid;
    grid-template-columns: 1fr 1fr;
    gap: 10px;
  }
  .option {
    display: flex;
    gap: 10px;
    align-items: flex-start;
    padding: 10px 12px;
    border: 1px solid var(--_control);
    border-radius: var(--_radius);
    cursor: pointer;
  }
  .option input {
    margin-block-start: 5px;
  }
  .option:has(:checked) {
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
    gap: 6px 16px;
    align-items: center;
    justify-content: space-between;
    margin-block-start: 8px;
  }
  .scope-groups {
    display: grid;
    grid-template-columns: 1fr 1fr;
    gap: 10px;
    margin-block: 10px 6px;
  }
  .scope-group {
    padding: 4px 12px 8px;
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
    gap: 10px;
    align-items: center;
    min-block-size: 40px;
    cursor: pointer;
    scroll-margin-block: 12px;
  }
  .strong-label {
    font-weight: 600;
  }
  .scope-text {
    display: grid;
    padding-block: 4px;
    line-height: 1.5;
    font-size: 15px;
  }
  .box code {
    font-size: 14px;
  }

  @container dialog (max-width: 520px) {
    .options,
    .scope-groups {
      grid-template-columns: 1fr;
    }
    .dialog-foot > button {
      flex: 1;
      min-block-size: 44px;
    }
    .dialog-foot > .error-text {
      flex: 1 1 100%;
    }
    .dialog-box :is(.icon-button, .small-button) {
      min-block-size: 44px;
    }
  }
  @media (forced-colors: active) {
    .badge,
    .banner,
    .note,
    .prefix {
      border: 1px solid CanvasText;
    }
    .banner {
      border-inline-start-width: 6px;
    }
    .fill {
      fill: Highlight;
    }
    .track {
      fill: GrayText;
    }
  }
`
