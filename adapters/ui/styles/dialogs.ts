import { css } from './tokens.ts'

/** Banners, questions, forms and the drawer. */
export const dialogs: string = css`
  .banner {
    --_b-bg: var(--_amber-bg); --_b-fg: var(--_amber-fg); --_b-border: var(--_amber-border);
    --_b-strong: var(--_amber-strong); --_b-on-strong: var(--_on-amber-strong); position: relative;
    display: grid; grid-template-columns: minmax(0, 1fr); gap: 0.125rem;
    margin-block-end: var(--_space); padding: 1rem 1.25rem;
    border: 1px solid color-mix(in srgb, var(--_b-border) 40%, transparent);
    border-radius: calc(1.5 * var(--_radius)); background: var(--_b-bg); color: var(--_b-fg);
  }
  .banner.rotated {
    --_b-bg: var(--_blue-bg); --_b-fg: var(--_blue-fg); --_b-border: var(--_blue-border);
    --_b-strong: var(--_blue-strong); --_b-on-strong: var(--_on-blue-strong);
  }
  #root .calm {
    --_b-bg: var(--_soft); --_b-fg: var(--_muted); --_b-border: var(--_control);
    --_b-strong: var(--_field); --_b-on-strong: var(--_fg);
  }
  .banner-title, .banner-title + p { padding-inline-end: 2.5rem; }
  .banner-title { color: var(--_fg); font-weight: 600; overflow-wrap: anywhere; }
  .banner-close { position: absolute; inset-block-start: 0.625rem; inset-inline-end: 0.75rem; }
  .banner-secret { display: flex; flex-wrap: wrap; gap: 0.5rem; margin-block-start: 0.625rem; }
  .secret, .code {
    flex: 1 1 18rem; padding: 0.5rem 0.75rem; border: 1px solid var(--_line);
    border-radius: var(--_radius); background: var(--_field); color: var(--_fg); text-align: left;
  }
  .secret {
    min-inline-size: 0; min-block-size: 2.625rem;
    border-color: color-mix(in srgb, var(--_b-border) 40%, transparent); font-size: 0.875rem;
    line-height: 1.625rem; overflow-wrap: anywhere; user-select: all;
  }
  .code { font: 400 0.78125rem / 1.6 var(--_mono); overflow-x: auto; }
  .strong {
    --_button: var(--_b-strong); min-block-size: max(2.625rem, var(--_control-size)); border-color: transparent;
    color: var(--_b-on-strong);
  }
  .calm .strong { border-color: var(--_edge); }
  .copy { min-inline-size: 9em; }
  .question, .call-line, .call { margin-block-start: 0.5rem; }
  .call-line { gap: 0.25rem 1rem; font-size: 0.8125rem; }
  .works { font-weight: 500; }
  .call { display: flex; flex-wrap: wrap; gap: 0.5rem; align-items: start; }

  .box {
    display: flex; gap: 0.5rem; align-items: center; min-block-size: 2.25rem; cursor: pointer;
  }
  :is(input[type='checkbox'], input[type='radio']) {
    inline-size: 1rem; block-size: 1rem; flex: none; margin: 0; accent-color: var(--_primary);
  }
  .consequence { padding-inline-start: 1.5rem; color: var(--_muted); font-size: 0.8125rem; }
  .field > :is(label:not(.box), legend) { display: block; margin-block-end: 0.375rem; font-weight: 500; }
  .two { display: grid; grid-template-columns: 1fr 1fr; gap: 1rem 0.75rem; align-items: start; }
  .field :is(input:not([type='checkbox'], [type='radio']), select, textarea) { inline-size: 100%; }
  .field select { justify-content: start; border-color: var(--_control); font-weight: 400; }
  .field select + input { margin-block-start: 0.5rem; }
  textarea { padding: 0.5rem 0.75rem; font: 400 0.8125rem / 1.6 var(--_mono); resize: vertical; }
  .dialog-body :is(input:not([type='checkbox'], [type='radio']), select, textarea):focus-visible {
    outline-offset: -1px;
  }
  [aria-invalid='true'] { border-color: var(--_danger); outline-color: var(--_danger); }
  .field :is([aria-invalid], .error-text) { scroll-margin-block-start: 6rem; }
  .error-text { color: var(--_danger); font-size: 0.8125rem; font-weight: 500; }
  .field > .error-text { margin-block-end: 0.25rem; }
  .field > .hint { margin-block-start: 0.25rem; }
  :is(.hint, .error-text):empty { display: none; }
  .segments {
    display: flex; gap: 3px; block-size: var(--_control-size); padding: 3px;
    border-radius: var(--_radius); background: var(--_soft);
  }
  .segments label { flex: 1; display: flex; position: relative; cursor: pointer; }
  #root .segments input {
    position: absolute; inset: 0; inline-size: 100%; block-size: 100%; appearance: none;
    border-radius: calc(var(--_radius) - 2px);
  }
  .segments input:checked { border: 1px solid var(--_control); background: var(--_field); }
  .segments [aria-invalid='true'] { border: 1px solid var(--_danger); }
  .segments span { position: relative; margin: auto; pointer-events: none; }
  .segments :checked + span { font-weight: 500; }
  :disabled ~ * { color: var(--_muted); }
  .scope-head {
    display: flex; gap: 0.75rem; align-items: center; justify-content: flex-end;
    margin-block: -1.8rem 0.3rem;
  }
  .scopes { border: 1px solid var(--_line); border-radius: calc(1.25 * var(--_radius)); }
  .scope-row {
    display: flex; flex-wrap: wrap; align-items: center; min-block-size: 2.375rem;
    padding-inline: 0.75rem;
  }
  .scope-row + .scope-row { border-block-start: 1px solid var(--_line); }
  .scope-name { flex: 1 1 4.5rem; min-inline-size: 0; overflow-wrap: anywhere; }
  .boxes { display: flex; flex-wrap: wrap; column-gap: 0.75rem; font-size: 0.8125rem; }
  .boxes .box { min-inline-size: 4.75rem; gap: 0.4375rem; }
  .boxes .box:last-child:not(:only-child) { min-inline-size: 8.5rem; }
  .many .boxes { flex: 1 1 100%; }
  api-keys-scopes [type='search'] { margin-block-end: 0.5rem; }
  .scopes ~ .hint { margin-block-start: 0.375rem; }
  summary {
    display: inline-flex; gap: 0.5rem; align-items: center; min-block-size: 2rem; list-style: none;
    cursor: pointer;
  }
  summary::-webkit-details-marker { display: none; }
  details[open] > .fold::after { transform: translateY(2px) rotate(-135deg); }
  .options .field { margin-block: 0.75rem; }
  .pair { display: flex; flex-wrap: wrap; column-gap: 1.5rem; }
  .choices { max-block-size: 12rem; overflow-y: auto; }

  .drawer {
    inline-size: min(27.5rem, 100vw); max-inline-size: none; block-size: 100dvh;
    max-block-size: none; margin-block: 0; margin-inline: auto 0; border-width: 0;
    border-inline-start-width: 1px; border-radius: 0;
  }
  .drawer .dialog-box { block-size: 100dvh; max-block-size: none; }
  .drawer .dialog-body {
    flex-grow: 1; gap: 1.25rem; align-content: start; overflow-wrap: anywhere;
  }
  .drawer .dialog-foot { justify-content: flex-start; border-block-start: 1px solid var(--_line); }
  .drawer .dialog-foot .quiet {
    border-color: var(--_edge); color: var(--_fg); font-size: 0.875rem;
  }
  .state { display: flex; flex-wrap: wrap; gap: 0.25rem 0.75rem; margin-block-start: -0.5rem; }
  dl { display: grid; gap: 0.375rem; }
  dl > div {
    display: grid; grid-template-columns: 7.5rem 1fr; gap: 0.75rem; align-items: baseline;
  }
  dt, h3 { color: var(--_muted); font-size: 0.8125rem; font-weight: 400; }
  h3 { margin-block-end: 0.375rem; }
  dd .icon-button { min-block-size: 1.5rem; vertical-align: middle; }
  .words code { color: var(--_muted); }
  .bars { inline-size: 100%; block-size: 3rem; }
  [dir='rtl'] .bars { transform: scaleX(-1); }
  .accepted { fill: var(--_primary); }
  .refused { fill: var(--_danger); }
  .base { fill: var(--_control); }
  .history ol { display: grid; gap: 0.5rem; margin-block-end: 0.5rem; }
  .history li > span { display: block; }
  @container dialog (max-width: 27em) {
    .dialog-foot > button:not(.link) { flex: 1; }
    .dialog-foot > .instead, .dialog-foot > .error-text { flex: 1 1 100%; }
    .two { grid-template-columns: 1fr; }
    .scope-head { flex-wrap: wrap; margin-block-start: 0; justify-content: start; }
    .dialog-box .boxes { flex: 1 1 100%; }
    .dialog-box .boxes .box, .dialog-box .boxes .box:last-child {
      flex: 1 1 40%; min-block-size: 2.75rem; min-inline-size: 0;
    }
    .scope-name { padding-block-start: 0.5rem; font-weight: 500; }
  }
  @container tab (max-width: 29.9375em) {
    .banner-secret > button, .question button { flex: 1 1 100%; }
  }
  @media (forced-colors: active) {
    .accepted { fill: Highlight; }
    .refused { fill: CanvasText; }
    .segments { outline: 1px solid CanvasText; }
    .segments input:checked { border: 2px solid Highlight; }
  }
`
