import { css } from './css.ts'

/** The dialogs and what is in them. */
export const dialog: string = css`
  dialog {
    inline-size: min(40rem, 100vw - 1.5rem);
    max-block-size: calc(100dvh - 1.5rem);
    padding: 0;
    border: 1px solid var(--_line);
    border-radius: calc(var(--_radius) * 1.4);
    box-shadow: var(--_shadow);
    overflow: hidden;
  }
  #confirm {
    inline-size: min(34rem, 100vw - 1.5rem);
  }
  dialog[open] {
    display: grid;
  }
  dialog::backdrop {
    background: rgb(15 23 42 / 0.5);
  }
  .dialog-box {
    display: flex;
    flex-direction: column;
    max-block-size: calc(100dvh - 1.625rem);
    overflow-y: auto;
    container: dialog / inline-size;
  }
  .dialog-head,
  .dialog-foot {
    display: flex;
    gap: 0.5rem;
    align-items: center;
    flex: none;
    padding: 1rem 1.25rem;
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
    flex: 0 1 auto;
    min-block-size: 10rem;
    padding: 4px 1.25rem 1.25rem;
    overflow-y: auto;
    overscroll-behavior: contain;
    scroll-padding-block: 0.75rem;
  }
  #confirm .dialog-body {
    flex-shrink: 0;
    min-block-size: 0;
  }
  .dialog-body[inert] {
    opacity: 0.75;
  }
  .stack {
    display: grid;
    gap: 0.5rem;
  }
  .prose {
    overflow-wrap: anywhere;
  }
  .used bdi {
    font-weight: 700;
  }
  .prose bdi[dir='ltr'] {
    font: 500 0.875rem / 1.5 var(--_mono);
  }

  /* Head and foot leave no room between them: the whole dialog scrolls. */
  @container dialog (max-width: 18em) {
    .dialog-body {
      flex-shrink: 0;
    }
  }
  @media (max-height: 22em) {
    .dialog-body {
      flex-shrink: 0;
    }
  }
  @container dialog (max-width: 32.5em) {
    .dialog-foot > button {
      flex: 1;
      min-block-size: 2.75rem;
    }
    .dialog-box :is(.icon-button, .small-button) {
      min-block-size: 2.75rem;
    }
  }
  @media (forced-colors: active) {
    #root :is(.badge, .note, .prefix, .allowance svg) {
      border: 1px solid CanvasText;
    }
    /* The plate behind forced text would cover the edge. */
    #root .badge {
      forced-color-adjust: none;
      background: Canvas;
      color: CanvasText;
    }
    .fill {
      fill: Highlight;
    }
    .track {
      fill: Canvas;
    }
  }
  @media (prefers-contrast: more) {
    .reset {
      --_muted: var(--_fg);
      --_line: var(--_control);
      --_edge: var(--_control);
    }
    .badge {
      border-color: currentColor;
    }
  }
`
