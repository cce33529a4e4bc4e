import { css } from './css.ts'

/*
 * The keys as cards, where the tab is too narrow for the table: two lines each, and up to 720 px a few
 * more, for fingers. In rem, so that a larger font of the browser makes cards earlier.
 */
export const cards: string = css`
  @container tab (max-width: 57.4375em) {
    thead {
      position: absolute;
      inline-size: 1px;
      block-size: 1px;
      overflow: hidden;
      clip-path: inset(50%);
    }
    table {
      display: block;
    }
    tbody {
      display: grid;
      grid-template-columns: repeat(4, auto) 1fr;
      gap: 0.75rem;
    }
    tbody tr {
      display: grid;
      grid-template-columns: subgrid;
      grid-column: 1 / -1;
      gap: 4px 1rem;
      align-items: center;
      padding: 0.75rem 1rem;
      box-shadow: none;
      border: 1px solid var(--_line);
      border-radius: calc(var(--_radius) * 1.2);
    }
    tbody :is(th, td) {
      display: block;
      block-size: auto;
      padding: 0;
      border: 0;
      text-align: start;
    }
    /* A long name widens none of the columns below it. */
    tbody th {
      grid-column: 1 / -1;
      inline-size: 0;
      min-inline-size: 100%;
    }
    .acting th {
      grid-column: 1 / 5;
    }
    tbody .group {
      display: block;
      padding: 0;
      border: 0;
    }
    tbody .actions {
      grid-area: 1 / 5;
    }
    .name {
      display: inline;
      margin-inline-end: 0.5rem;
    }
    #root .name-button {
      max-inline-size: calc(100% - 0.5rem);
    }
    td.labelled {
      font-size: 0.8125rem;
    }
    td.labelled::before {
      content: attr(data-l) ': ' / '';
      color: var(--_muted);
    }
  }

  @container tab (max-width: 44em) {
    #root :is(button:not(.fold, .name-button), .button, select, input[type='search']) {
      min-block-size: 2.75rem;
    }
    #root .icon-button {
      inline-size: 2.75rem;
    }
    .note > .button,
    .lock .button {
      flex: 1 1 100%;
    }
    tbody {
      grid-template-columns: minmax(0, 1fr);
      gap: 0.5rem;
    }
    tbody tr {
      grid-template: 'name name status' auto 'note note note' auto 'key key type' auto 'last uses uses' auto 'actions actions actions' auto / 1fr auto min-content;
      gap: 2px 0.75rem;
      padding: 0.5rem 0.75rem;
      line-height: 1.4;
    }
    #root tbody tr > th {
      grid-area: name / 1 / auto / -1;
    }
    .c-key {
      grid-area: key;
    }
    .c-type {
      grid-area: type;
    }
    .c-last {
      grid-area: last;
    }
    .c-uses {
      grid-area: uses;
    }
    /* The badge beside the name, and what is said about it on a line of its own. */
    tbody .c-status {
      display: contents;
    }
    .c-status .badge {
      grid-area: status;
      place-self: start end;
    }
    .c-status .since {
      grid-area: note;
    }
    tbody .actions {
      grid-area: actions;
      margin-block: 0.375rem -0.5rem;
      border-block-start: 1px solid var(--_line);
    }
    tbody :is(.c-type, .c-uses) {
      text-align: end;
    }
    /* The badge stands at the end of its line. */
    .name {
      display: block;
      margin-inline-end: 7.5rem;
    }
    td .since {
      font-size: 0.8125rem;
    }
    .actions .row > button:not(.icon-button) {
      flex: 1;
    }
    /* Nothing but the menu: it stands beside the date, which saves a line. */
    tbody .revoked .actions {
      grid-area: note / status;
      margin-block: -0.75rem;
      border: 0;
    }
  }

  /* Where there is room, the actions stand beside the lines under the name. */
  @container tab (36em < width <= 44em) {
    .note > .button,
    .lock .button {
      flex: none;
    }
    tbody tr {
      grid-template: 'name name status' auto 'note note actions' auto 'key type actions' auto 'last uses actions' auto / auto 1fr auto;
      column-gap: 1rem;
    }
    tbody :is(.c-type, .c-uses) {
      text-align: start;
    }
    tbody tr .actions {
      grid-area: actions;
      margin: 0;
      border: 0;
    }
    .actions .row > button:not(.icon-button) {
      flex: none;
    }
  }

  @container tab (max-width: 18em) {
    tbody tr {
      display: block;
    }
    tbody tr > :is(th, td) {
      text-align: start;
    }
    .name {
      margin-inline-end: 0;
    }
  }
`
