import { dialogs } from './dialogs.ts'
import { css, inFontSize, tokens } from './tokens.ts'

/** Page frame, text, buttons, the list and the frame of dialogs. */
const sheet: string = css`
  :host { display: block; container: tab / inline-size; }
  :host([hidden]) { display: none; }
  *, ::before, ::after { box-sizing: border-box; }
  /* Nothing that the page sets for its texts comes in, except whether they are seen and can be used. */
  .reset {
    all: initial; display: block; color-scheme: inherit; visibility: inherit;
    pointer-events: inherit;
  }
  #root {
    display: flow-root; font: 400 0.875rem / 1.5 var(--_font); color: var(--_fg);
    background: var(--_bg); text-align: start; user-select: text;
  }
  #root:lang(ar) { line-height: 1.7; }
  dialog, [popover] { color: var(--_fg); background: var(--_surface); }
  #root :is(api-keys-bar, api-keys-table, api-keys-usage, api-keys-history, api-keys-scopes) {
    display: block;
  }
  :is(p, h2, h3, fieldset, legend, ul, ol, dl, dd, pre) {
    margin: 0; padding: 0; border: 0; list-style: none; min-inline-size: 0;
  }
  a { color: inherit; text-underline-offset: 3px; }
  code { font: 400 0.78125rem / 1.5 var(--_mono); }
  .muted, .hint { color: var(--_muted); }
  .small, .hint { font-size: 0.8125rem; }
  .soon { color: var(--_due); }
  .center { padding-block: 0.75rem; text-align: center; }
  .grow { flex: 1; min-inline-size: 0; }
  .row { display: flex; flex-wrap: wrap; gap: 0.25rem 0.5rem; align-items: center; }
  .sr {
    position: absolute; inline-size: 1px; block-size: 1px; margin: -1px; overflow: hidden;
    clip-path: inset(50%); white-space: nowrap;
  }
  .icon {
    inline-size: 1.125rem; block-size: 1.125rem; flex: none; fill: none; stroke: currentColor;
    stroke-width: 1.6; stroke-linecap: round; stroke-linejoin: round;
  }
  :focus-visible { outline: 2px solid var(--_focus); outline-offset: 2px; }
  :is(#root, #title, h2, h3):focus-visible { outline: none; }

  button, .button, select {
    display: inline-flex; align-items: center; justify-content: center; gap: 0.5rem;
    block-size: auto; min-block-size: var(--_control-size); padding: 0 0.875rem;
    border: 1px solid var(--_edge); border-radius: var(--_radius);
    background: var(--_button, var(--_field)); color: var(--_fg);
    font: 500 0.875rem / 1.5 var(--_font); text-decoration: none; white-space: nowrap;
    cursor: pointer;
  }
  button:not(:disabled, [aria-disabled='true'], [aria-busy='true'], .link):hover, .button:hover {
    background: color-mix(in srgb, var(--_fg) 7%, var(--_button, var(--_field)));
  }
  .primary { --_button: var(--_primary); border-color: transparent; color: var(--_on-primary); }
  .blue {
    --_button: var(--_blue-strong); border-color: transparent; color: var(--_on-blue-strong);
  }
  .filled { --_button: var(--_danger); border-color: transparent; color: var(--_on-danger); }
  .quiet {
    --_button: transparent; border-color: transparent; color: var(--_muted); font-size: 0.8125rem;
  }
  .quiet:not([aria-disabled='true']):is(:hover, :focus-visible) { color: var(--_fg); }
  .quiet.danger:not([aria-disabled='true']):is(:hover, :focus-visible) {
    background: var(--_danger-bg); color: var(--_danger);
  }
  button:disabled, button[aria-disabled='true'] {
    --_button: var(--_soft); border-color: var(--_line); color: var(--_muted); cursor: not-allowed;
  }
  .quiet[aria-disabled='true'] { --_button: transparent; border-color: transparent; }
  button[aria-busy='true'] { cursor: progress; }
  button[aria-busy='true']::before {
    content: ''; inline-size: 1em; block-size: 1em; border: 2px solid;
    border-inline-end-color: transparent; border-radius: 50%; animation: turn 0.8s linear infinite;
  }
  @keyframes turn {
    to { rotate: 1turn; }
  }
  .small-button { min-block-size: var(--_small-size); padding-inline: 0.625rem; font-size: 0.8125rem; }
  .icon-button {
    --_button: transparent; flex: none; inline-size: var(--_small-size);
    min-block-size: var(--_small-size); padding: 0; border-color: transparent; color: inherit;
  }
  #root :is(.link, .fold, .name-button) {
    min-block-size: 1.5rem; padding: 0; border: 0; border-radius: 4px; background: none;
    color: inherit; font-weight: 500;
  }
  #root .link { font-size: 0.8125rem; text-decoration: underline; text-underline-offset: 3px; }
  select {
    appearance: none; padding-inline-end: 2rem;
    background: var(--_field) conic-gradient(from -45deg at bottom, var(--_muted) 90deg, transparent 0) right 0.75rem center / 0.625rem 0.3125rem no-repeat;
  }
  [dir='rtl'] select { background-position: left 0.75rem center; }
  input:not([type='checkbox'], [type='radio']), textarea {
    min-block-size: var(--_control-size); padding: 0 0.75rem; border: 1px solid var(--_control);
    border-radius: var(--_radius); background: var(--_field); color: inherit; font: inherit;
  }
  ::placeholder { color: var(--_muted); opacity: 1; }

  .header {
    display: grid; grid-template-columns: 1fr auto; gap: 0.25rem 1rem; align-items: center;
    margin-block-end: var(--_space);
  }
  #title { font-size: 1.25rem; font-weight: 600; line-height: 1.4; }
  .intro { grid-column: 1 / -1; }
  #new-key { grid-column: -2; justify-self: end; }
  .bar {
    display: flex; flex-wrap: wrap; gap: 0.5rem; align-items: center;
    min-block-size: var(--_control-size); margin-block-end: 0.5rem;
  }
  .bar.bare { display: none; }
  .search { position: relative; flex: 0 1 16.25rem; min-inline-size: 0; }
  .search .icon {
    position: absolute; inset-block-start: calc(50% - 0.5625rem); inset-inline-start: 0.625rem;
    color: var(--_muted); pointer-events: none;
  }
  .search input { inline-size: 100%; padding-inline-start: 2.25rem; }
  .allowance { margin-inline-start: auto; color: var(--_muted); font-size: 0.8125rem; }
  [part='allowance-value'] bdi { color: var(--_fg); font-weight: 500; }

  .note {
    display: flex; flex-wrap: wrap; gap: 0.5rem 0.75rem; align-items: center;
    margin-block-end: var(--_space); font-size: 0.8125rem; color: var(--_muted);
  }
  .note > .icon { color: var(--_due); }
  .note.bad, .note.bad > .icon { color: var(--_danger); }
  #notice { color: var(--_fg); }
  .panel {
    padding: 2rem 1.5rem; border: 1px solid var(--_line); border-radius: calc(1.5 * var(--_radius));
  }
  .panel, .panel slot { display: grid; justify-items: center; gap: 0.5rem; text-align: center; }
  .panel.lock {
    display: flex; flex-wrap: wrap; gap: 1rem; align-items: center; margin-block-end: var(--_space);
    padding: 1rem 1.25rem; text-align: start;
  }
  .lock > .grow { flex-basis: 12rem; }
  .panel .icon { color: var(--_muted); }
  .panel .primary .icon { color: inherit; }
  .panel > *, .panel slot > * { max-inline-size: 34em; }
  .panel #new-key { justify-self: center; }
  .panel button { margin-block-start: 0.5rem; }
  .subheading { font-weight: 600; }
  .steps { padding-inline-start: 1.5em; list-style: decimal; text-align: start; }
  .steps code { display: block; overflow-wrap: anywhere; }
  .slim { padding-block: 1.5rem; color: var(--_muted); text-align: center; }
  .list { position: relative; }
  .progress {
    position: absolute; inset-block-start: -2px; inset-inline: 0; block-size: 2px;
    background: var(--_primary); animation: pulse 1.4s ease-in-out infinite alternate;
  }
  .skeleton { padding-block-start: 2.25rem; }
  .skeleton-row {
    display: grid; grid-template-columns: 4fr 2fr 2fr 3fr; gap: 1.5rem; align-items: center;
    block-size: 3.75rem; border-block-end: 1px solid var(--_line);
  }
  .skeleton i {
    block-size: 0.75rem; border-radius: 0.375rem;
    background: color-mix(in srgb, var(--_fg) 9%, transparent);
    animation: pulse 1.4s ease-in-out infinite alternate;
  }
  @keyframes pulse {
    to { opacity: 0.45; }
  }

  /* One layout for all widths: a row is two lines of a grid that all rows share. */
  table, thead, tbody, tbody tr, thead tr {
    display: grid; grid-template-columns: subgrid; grid-column: 1 / -1;
  }
  table {
    --_actions: 11.5rem;
    --_columns: minmax(0, 1fr) 8.75rem 4.75rem 7.875rem 4.5rem 9.25rem var(--_actions);
    --_areas: 'name key type last uses status actions' 'second key type last uses status actions';
    grid-template-columns: var(--_columns);
  }
  :lang(ar) table { --_actions: 12.5rem; }
  table.readonly { --_actions: 0; }
  thead tr { align-items: center; block-size: 2.25rem; border-block-end: 1px solid var(--_line); }
  thead th {
    padding: 0; padding-inline-end: 1rem; color: var(--_muted); font-size: 0.8125rem; font-weight: 500;
    text-align: start; white-space: nowrap;
  }
  tbody tr {
    --_row: transparent; grid-template-areas: var(--_areas); grid-template-rows: 1fr 1fr;
    block-size: calc(3.75rem * var(--_density)); border-block-end: 1px solid var(--_line);
    line-height: 1.4;
  }
  tbody tr:not(.group) {
    background: var(--_row); box-shadow: -0.5rem 0 var(--_row), 0.5rem 0 var(--_row);
  }
  tbody tr:not(.group):hover { --_row: color-mix(in srgb, var(--_fg) 2.5%, transparent); }
  tbody th { display: contents; font-weight: 400; }
  tbody td {
    align-self: center; padding: 0; padding-inline-end: 1rem; min-inline-size: 0; overflow: hidden;
    text-overflow: ellipsis; white-space: nowrap;
  }
  #root .name-button {
    display: block; grid-area: name; align-self: end; justify-self: start;
    max-inline-size: calc(100% - 1rem); font-weight: 600; text-align: start;
  }
  #root .name-button:hover { text-decoration: underline; text-underline-offset: 3px; }
  .second {
    grid-area: second; display: flex; min-inline-size: 0; padding-inline-end: 1rem;
    color: var(--_muted); font-size: 0.8125rem; white-space: nowrap;
  }
  .cut, .second .due { min-inline-size: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
  bdi.cut { display: block; inline-size: fit-content; max-inline-size: 100%; }
  .second .due { flex: none; max-inline-size: 100%; }
  .second .due::before { content: '·' / ''; margin-inline: 0.3em; color: var(--_muted); }
  td.c-key { grid-area: key; color: var(--_muted); }
  td.c-type { grid-area: type; }
  td.c-last { grid-area: last; }
  td.c-uses { grid-area: uses; font-size: 0.8125rem; font-variant-numeric: tabular-nums; }
  #root .c-uses { padding-inline: 0 0.25rem; text-align: end; }
  .uses-in-words { display: none; }
  td.c-status { grid-area: status; }
  #root .c-status { padding-inline-start: 0.5rem; }
  #root .actions {
    grid-area: actions; display: flex; align-items: center; justify-content: flex-end; padding: 0;
    overflow: visible;
  }
  .actions button { padding-inline: 0.5rem; }
  .actions .icon-button { padding: 0; color: var(--_muted); }
  .over :is(.name-button, td) { color: var(--_muted); }
  .type { color: var(--_muted); font-size: 0.8125rem; }
  .type.test { display: inline-block; padding: 0 0.375rem; border: 1px solid var(--_edge); border-radius: 6px; }
  .dot { display: inline-flex; gap: 0.5rem; align-items: center; }
  .dot::before {
    content: ''; flex: none; inline-size: 0.5rem; block-size: 0.5rem; border-radius: 50%;
    background: var(--_active);
  }
  .dot.retiring::before { background: var(--_amber-border); }
  .dot.paused::before { background: none; box-shadow: inset 0 0 0 2px var(--_control); }
  .dot:is(.expired, .revoked, .dim)::before {
    background: var(--_line); box-shadow: inset 0 0 0 1px var(--_control);
  }
  tbody .group { display: block; block-size: 2.75rem; border: 0; }
  .group th { display: flex; align-items: center; block-size: 100%; }
  #root .fold { padding-inline-end: 4px; color: var(--_muted); font-size: 0.8125rem; font-weight: 400; }
  .fold::after {
    content: '' / ''; inline-size: 0.375rem; block-size: 0.375rem; border: solid currentColor;
    border-width: 0 1.5px 1.5px 0; transform: translateY(-2px) rotate(45deg);
  }
  .fold[aria-expanded='true']::after { transform: translateY(2px) rotate(-135deg); }

  /* Key, Type and Uses move to the second line, and the last use below the status. */
  @container tab (max-width: 60em) {
    table {
      --_columns: auto auto auto minmax(0, 1fr) fit-content(7.875rem) fit-content(9.25rem) var(--_actions);
      --_areas: 'name name name name last status actions' 'key type uses second last status actions';
    }
    thead :is(.c-key, .c-type, .c-uses) { position: absolute; clip-path: inset(50%); }
    thead .c-name { grid-column: 1 / 5; }
    #root :is(.c-key, .c-type, .c-uses):not(th) {
      align-self: start; padding-inline: 0 0.625rem; color: var(--_muted); font-size: 0.8125rem;
    }
    #root .type.test { padding-block: 0; }
    #root td.c-key { min-inline-size: max-content; }
    #root .c-uses { text-align: start; }
    .uses { display: none; }
    .uses-in-words { display: inline; }
  }
  @container tab (max-width: 43em) {
    table {
      --_columns: auto auto auto minmax(0, 1fr) 8rem var(--_actions);
      --_areas: 'name name name name status actions' 'key type uses second last actions';
    }
    thead .c-last { position: absolute; clip-path: inset(50%); }
    #root .name-button, #root td.c-status { align-self: end; }
    #root .c-last { align-self: start; padding-inline-start: 0.5rem; color: var(--_muted); font-size: 0.8125rem; }
    .second .due::before { content: none; }
  }
  /* What is due has the room of the type and of the uses, and on a tablet that of the key. */
  @container tab (29.9375em < width <= 60em) {
    #root .is-due :is(.c-type, .c-uses) { position: absolute; clip-path: inset(50%); }
    .is-due .second { grid-column-start: type; }
    .is-due .by, .is-due .due::before { display: none; }
  }
  @container tab (29.9375em < width <= 48em) {
    #root .is-due .c-key { position: absolute; clip-path: inset(50%); }
    .is-due .second { grid-column-start: key; }
  }
  @container tab (max-width: 56em) {
    .second .by { display: none; }
  }
  @container tab (max-width: 29.9375em) {
    table { --_columns: minmax(0, 1fr); }
    thead { position: absolute; inline-size: 1px; block-size: 1px; overflow: hidden; clip-path: inset(50%); }
    tbody tr:not(.group) {
      display: flex; flex-wrap: wrap; gap: 2px 0; align-items: center; align-content: center;
      block-size: 7.25rem;
    }
    tbody tr:not(.group)::before { content: ''; flex: 0 0 100%; order: 1; }
    #root .name-button { flex: 1 1 0; min-inline-size: 4rem; align-self: center; padding-inline-end: 0.5rem; }
    .second { flex: none; max-inline-size: 40%; padding-inline-end: 0.75rem; }
    #root tbody .c-status { padding: 0; }
    tbody td:not(.c-status) { order: 2; }
    #root tbody td:is(.c-key, .c-type, .c-uses, .c-last, .actions) { align-self: center; }
    #root tbody .c-uses { order: 3; }
    #root tbody .c-last { order: 4; flex: 1 0 auto; padding: 0; text-align: end; }
    #root tbody .actions { order: 5; }
    #root .actions { flex: 1 0 100%; justify-content: stretch; gap: 0.5rem; }
    .actions .quiet { flex: 1; border-color: var(--_line); color: var(--_fg); }
    .actions .icon-button { margin-inline-start: auto; }
    .bar > :is(.search, select) { flex: 1 1 8rem; }
    .allowance { flex: 1 1 100%; }
    #root { --_control-size: 2.75rem; --_small-size: 2.75rem; }
  }

  .menu {
    inset: auto; margin: 4px 0; padding: 0.375rem; border: 1px solid var(--_line);
    border-radius: calc(1.5 * var(--_radius)); box-shadow: var(--_shadow);
    position-area: block-end span-inline-start; position-try-fallbacks: flip-block;
  }
  .menu:popover-open { display: grid; min-inline-size: 10rem; }
  .menu button {
    --_button: transparent; justify-content: start; border-color: transparent; font-weight: 400;
  }
  .tip {
    position: fixed; inset: auto; margin: 0; max-inline-size: min(24rem, 100vw - 1rem);
    padding: 0.25rem 0.625rem; border: 0; border-radius: 6px; background: var(--_fg);
    color: var(--_surface); font-size: 0.8125rem; white-space: pre-line; overflow-wrap: anywhere;
    pointer-events: none;
  }
  dialog {
    inline-size: min(32.5rem, 100vw - 1.5rem); max-block-size: calc(100dvh - 1.5rem); padding: 0;
    border: 1px solid var(--_line); border-radius: calc(1.75 * var(--_radius));
    box-shadow: var(--_shadow); overflow: hidden;
  }
  #confirm { inline-size: min(28rem, 100vw - 1.5rem); }
  dialog[open] { display: grid; }
  dialog::backdrop { background: rgb(15 23 42 / 0.4); }
  .dialog-box {
    display: flex; flex-direction: column; max-block-size: calc(100dvh - 1.625rem);
    overflow-y: auto; container: dialog / inline-size;
  }
  .dialog-head, .dialog-foot {
    display: flex; gap: 0.5rem; align-items: center; flex: none; padding: 1rem 1.5rem;
  }
  .dialog-head { justify-content: space-between; padding-block-end: 0.75rem; }
  .dialog-foot { flex-wrap: wrap; justify-content: flex-end; }
  h2 { font-size: 1.0625rem; font-weight: 600; min-inline-size: 0; overflow-wrap: anywhere; }
  .dialog-body {
    display: grid; gap: 1rem; flex: 0 1 auto; min-block-size: 8rem; padding: 4px 1.5rem;
    overflow-y: auto; overscroll-behavior: contain; scroll-padding-block: 0.75rem;
  }
  .dialog-body > .note { margin: 0; }
  #confirm .dialog-body { flex-shrink: 0; min-block-size: 0; }
  .dialog-body[inert] { opacity: 0.75; }
  .stack { display: grid; gap: 0.5rem; }
  .prose { overflow-wrap: anywhere; }
  .instead { margin-inline-end: auto; }
  /* Head and foot leave no room between them: the whole dialog scrolls. */
  @container dialog (max-width: 18em) {
    .dialog-body { flex-shrink: 0; }
  }
  @media (max-height: 22em) {
    .dialog-body { flex-shrink: 0; }
  }
  /* Fingers. */
  @media (pointer: coarse) {
    #root { --_control-size: 2.75rem; --_small-size: 2.75rem; }
    #root :is(.link, .fold, summary, label.box) { min-block-size: 2.75rem; }
  }
  @media (forced-colors: active) {
    #root .dot::before { forced-color-adjust: none; background: CanvasText; }
    #root .dot:is(.paused, .expired, .revoked, .dim)::before {
      background: Canvas; box-shadow: inset 0 0 0 2px CanvasText;
    }
    .skeleton i { border: 1px solid GrayText; }
    select { appearance: auto; }
  }
  @media (prefers-contrast: more) {
    .reset { --_muted: var(--_fg); --_line: var(--_control); --_edge: var(--_control); }
  }
  @media (prefers-reduced-motion: reduce) {
    *, ::before, ::after { animation: none !important; }
  }
  /* A page on paper shows the keys: never a secret, and nothing that could be pressed. */
  @media print {
    #new-key, .banner, .bar, .actions, .note, .center, dialog, [popover] {
      display: none !important;
    }
  }
`

/** The styles of all parts, for one constructable sheet: no style attribute, so a strict CSP holds. */
export const styles: string = tokens + inFontSize(sheet + dialogs)
