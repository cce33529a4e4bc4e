import { css } from './css.ts'

/** Page frame, text and buttons. */
export const base: string = css`
  :host {
    display: block;
    container: tab / inline-size;
  }
  :host([hidden]) {
    display: none;
  }
  *,
  ::before,
  ::after {
    box-sizing: border-box;
  }
  /* Nothing that the page sets for its texts comes in, except whether they are seen and can be used. */
  .reset {
    all: initial;
    display: block;
    color-scheme: inherit;
    visibility: inherit;
    pointer-events: inherit;
  }
  #root {
    display: grid;
    gap: var(--_space);
    font: 400 1rem / 1.6 var(--_font);
    color: var(--_fg);
    background: var(--_bg);
    text-align: start;
    user-select: text;
  }
  dialog {
    color: var(--_fg);
    background: var(--_surface);
  }
  #root:lang(ar) {
    line-height: 1.75;
  }
  :is(p, h2, h3, fieldset, legend, ul, ol, dl, dd) {
    margin: 0;
    padding: 0;
    border: 0;
    list-style: none;
  }
  a {
    color: var(--_primary);
    text-underline-offset: 3px;
  }
  code {
    font: 500 0.875rem / 1.5 var(--_mono);
  }
  .muted {
    color: var(--_muted);
  }
  .small,
  .hint {
    font-size: 0.875rem;
  }
  .hint {
    color: var(--_muted);
  }
  .center {
    text-align: center;
  }
  .grow {
    flex: 1;
    min-inline-size: 0;
  }
  .row {
    display: flex;
    flex-wrap: wrap;
    gap: 0.5rem;
    align-items: center;
  }
  .sr {
    position: absolute;
    inline-size: 1px;
    block-size: 1px;
    margin: -1px;
    overflow: hidden;
    clip-path: inset(50%);
    white-space: nowrap;
  }
  .icon {
    inline-size: 1.125rem;
    block-size: 1.125rem;
    flex: none;
    fill: none;
    stroke: currentColor;
    stroke-width: 1.8;
    stroke-linecap: round;
    stroke-linejoin: round;
  }
  :focus-visible {
    outline: 2px solid var(--_focus);
    outline-offset: 2px;
  }
  #root:focus-visible,
  #title:focus-visible {
    outline: none;
  }

  button,
  .button {
    display: inline-flex;
    align-items: center;
    justify-content: center;
    gap: 0.5rem;
    min-block-size: var(--_control-size);
    padding: 0.25rem 0.875rem;
    border: 1px solid var(--_edge);
    border-radius: calc(var(--_radius) * 0.8);
    background: var(--_button, var(--_field));
    color: var(--_fg);
    font: 500 0.875rem / 1.5 var(--_font);
    text-decoration: none;
    cursor: pointer;
    transition: background-color 0.12s;
  }
  button:not(:disabled, [aria-disabled='true'], [aria-busy='true']):hover,
  .button:hover {
    background: color-mix(in srgb, var(--_fg) 8%, var(--_button, var(--_field)));
  }
  .primary {
    --_button: var(--_primary);
    border-color: transparent;
    color: var(--_on-primary);
  }
  .quiet {
    --_button: transparent;
    border-color: transparent;
    color: var(--_muted);
  }
  .quiet:not([aria-disabled='true']):is(:hover, :focus-visible) {
    color: var(--_fg);
  }
  .quiet.danger:not([aria-disabled='true']):is(:hover, :focus-visible) {
    background: var(--_danger-bg);
    color: var(--_danger);
  }
  .amber {
    --_button: var(--_amber-strong);
    border-color: transparent;
    color: var(--_on-amber-strong);
  }
  .filled {
    --_button: var(--_danger);
    border-color: transparent;
    color: var(--_on-danger);
  }
  button:disabled,
  button[aria-disabled='true'] {
    background: var(--_soft);
    border-color: var(--_line);
    color: var(--_muted);
    cursor: not-allowed;
  }
  button[aria-busy='true'] {
    cursor: progress;
  }
  button[aria-busy='true']::before {
    content: '';
    inline-size: 1em;
    block-size: 1em;
    border: 2px solid;
    border-inline-end-color: transparent;
    border-radius: 50%;
    animation: turn 0.8s linear infinite;
  }
  @keyframes turn {
    to {
      rotate: 1turn;
    }
  }
  .small-button {
    min-block-size: 2rem;
    padding: 0.125rem 0.75rem;
  }
  .icon-button {
    min-block-size: 2.25rem;
    inline-size: 2.25rem;
    padding: 0;
    --_button: transparent;
    border-color: transparent;
    color: inherit;
  }

  /* Fingers. */
  @media (pointer: coarse) {
    #root :is(button, .button, summary, select, input:not([type='checkbox'], [type='radio']), label) {
      min-block-size: 2.75rem;
    }
    #root .icon-button {
      inline-size: 2.75rem;
    }
  }
  @media (prefers-reduced-motion: reduce) {
    *,
    ::before,
    ::after {
      animation: none !important;
      transition: none !important;
    }
  }
`
