import { css } from '../styles/css.ts'

/** The fields of the dialogs and of the toolbar. */
export const formStyles: string = css`
  select,
  textarea,
  input:is([type='text'], [type='search'], [type='date']) {
    inline-size: 100%;
    min-block-size: 2.5rem;
    padding: 0.375rem 0.75rem;
    border: 1px solid var(--_control);
    border-radius: calc(var(--_radius) * 0.8);
    background: var(--_field);
    color: inherit;
    font: inherit;
  }
  :is(select, textarea, input:not([type='checkbox'], [type='radio'])):focus-visible {
    outline-offset: -1px;
  }
  /* The browser's own arrow touches the edge where text runs from right to left. */
  select {
    appearance: none;
    padding-inline-end: 2rem;
    background: var(--_field) conic-gradient(from -45deg at bottom, var(--_muted) 90deg, transparent 0)
      right 0.75rem center / 0.625rem 0.3125rem no-repeat;
  }
  [dir='rtl'] select {
    background-position: left 0.75rem center;
  }
  @media (forced-colors: active) {
    select {
      appearance: auto;
    }
  }
  .row > :is(select, [type='date']) {
    block-size: 2.5rem;
    line-height: 1.5;
    flex: 1 1 12em;
    inline-size: auto;
    min-inline-size: 0;
  }
  [aria-invalid='true'] {
    border-color: var(--_danger);
    outline-color: var(--_danger);
  }
  input[type='checkbox'],
  input[type='radio'] {
    inline-size: 1.125rem;
    block-size: 1.125rem;
    flex: none;
    margin: 0;
    accent-color: var(--_primary);
  }
  textarea {
    font: 500 0.875rem / 1.6 var(--_mono);
    resize: vertical;
  }
  :disabled ~ * {
    color: var(--_muted);
  }
  .choices {
    max-block-size: 14rem;
    margin-block: 4px;
    overflow-y: auto;
  }
  .error-text {
    color: var(--_danger);
    font-size: 0.875rem;
    font-weight: 500;
  }
  :is(.hint, .error-text):empty {
    display: none;
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
    gap: 0.75rem;
  }
  .option {
    display: flex;
    gap: 0.75rem;
    align-items: flex-start;
    padding: 0.75rem;
    border: 1px solid var(--_edge);
    border-radius: var(--_radius);
    cursor: pointer;
  }
  .option input {
    margin-block-start: 0.3125rem;
  }
  .option.chosen {
    border-color: var(--_primary);
    background: color-mix(in srgb, var(--_primary) 8%, var(--_surface));
    box-shadow: inset 0 0 0 1px var(--_primary);
  }
  .option-title {
    display: block;
    font-weight: 500;
  }
  :is(.option, .box, .scopes) code {
    color: var(--_muted);
  }
  .scope-tools {
    column-gap: 1rem;
    justify-content: space-between;
    margin-block-start: 0.5rem;
  }
  .scope-tools + label {
    margin-block-start: 0.5rem;
  }
  .scope-count {
    position: sticky;
    inset-block-start: -0.25rem;
    z-index: 1;
    padding-block: 4px;
    background: var(--_surface);
    box-shadow: 0 -0.25rem var(--_surface);
  }
  .scope-groups {
    display: grid;
    grid-template-columns: 1fr 1fr;
    gap: 0.75rem;
    margin-block: 0.5rem;
  }
  .scope-group {
    padding: 4px 0.75rem 0.5rem;
    border: 1px solid var(--_line);
    border-radius: var(--_radius);
    min-inline-size: 0;
  }
  .scope-group legend {
    display: flex;
    justify-content: space-between;
    align-items: center;
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
    gap: 0.75rem;
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
    font-size: 0.875rem;
  }
  @container dialog (max-width: 32.5em) {
    .options,
    .scope-groups {
      grid-template-columns: 1fr;
    }
    #root .scope-group .fold {
      min-block-size: 2.75rem;
      padding-inline: 0.5rem;
    }
    .dialog-foot > .error-text {
      flex: 1 1 100%;
    }
  }
`
