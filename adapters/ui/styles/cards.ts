import { css } from './css.ts'

/*
 * The keys as cards, where the tab is too narrow for the table: two lines each, and up to 720 px a few
 * more, for fingers. In rem, so that a larger font of the browser makes cards earlier.
 */
export const cards: string = css`
  @container tab (max-width: 57.4375rem) {
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
      padding: 0.75rem;
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
    tbody :is(th, td):is(:first-child, :last-child) {
      padding-inline: 0;
    }
    tbody th {
      grid-column: 1 / -1;
    }
    .acting th {
      grid-column: 1 / 5;
    }
    tbody .actions {
      grid-area: 1 / 5;
    }
    .name {
      display: inline;
      margin-inline-end: 0.5rem;
    }
    td.told::before {
      content: attr(data-l) ': ' / '';
      color: var(--_muted);
    }
    td .since {
      display: inline;
      margin-inline-start: 0.5rem;
    }
    .actions .row {
      justify-content: flex-end;
    }
  }

  @container tab (max-width: 45rem) {
    .header-actions {
      flex: 1 1 100%;
    }
    .header-actions > button {
      flex: 1;
    }
    #root :is(button:not(.fold), .button) {
      min-block-size: 2.75rem;
    }
    #root .icon-button {
      inline-size: 2.75rem;
    }
    .toolbar > :is(.search, .filter) {
      flex: 1 1 100%;
      flex-wrap: wrap;
    }
    /* As high as it will be with what loads later. */
    .toolbar:empty {
      min-block-size: 8rem;
    }
    .filter button {
      flex: 1;
    }
    .toolbar .filter button {
      flex: 1 1 40%;
      padding-inline: 0.375rem;
      font-size: 0.875rem;
    }
    .note > .button,
    .lock .button {
      flex: 1 1 100%;
    }
    tbody {
      grid-template-columns: minmax(0, 1fr);
    }
    tbody tr {
      grid-template-columns: auto 1fr auto;
      gap: 2px 0.5rem;
      padding-block: 0.5rem;
      line-height: 1.4;
    }
    tbody th,
    .acting th {
      grid-area: 1 / 1 / auto / -1;
    }
    tbody .actions {
      grid-area: 4 / 1 / auto / -1;
    }
    .name {
      display: block;
    }
    /* Live or test is at the end of the line with the scopes, which leave room for it. */
    .scopes {
      margin-inline-end: 5rem;
    }
    tbody td:nth-of-type(2) {
      grid-area: 1 / 2 / auto / -1;
      place-self: end;
    }
    tbody td:nth-of-type(3) {
      grid-area: 3 / 1 / auto / 3;
    }
    tbody td:nth-of-type(4) {
      grid-area: 3 / 3;
    }
    tbody td:nth-of-type(5) {
      grid-area: 2 / 2 / auto / -1;
    }
    tbody td:is(:nth-of-type(4), :nth-of-type(5)) {
      text-align: end;
    }
    time:focus::after {
      inline-size: max-content;
      max-inline-size: 12em;
      white-space: normal;
    }
    td.told,
    td .since {
      font-size: 0.8125rem;
    }
    td .since {
      margin-inline-start: 4px;
    }
    .actions .row > button:not(.icon-button) {
      flex: 1;
    }
  }

  /* Where there is room, the actions stand beside the two lines under the name. */
  @container tab (36rem < width <= 45rem) {
    .header-actions,
    .note > .button,
    .lock .button {
      flex: none;
    }
    .toolbar .filter button {
      flex: 1;
    }
    tbody tr {
      column-gap: 1rem;
    }
    tbody .actions {
      grid-area: 2 / 3 / 4;
    }
    .actions .row > button:not(.icon-button) {
      flex: none;
    }
    tbody td:nth-of-type(3) {
      grid-area: 3 / 1;
    }
    tbody td:nth-of-type(4) {
      grid-area: 3 / 2;
    }
    tbody td:nth-of-type(5) {
      grid-area: 2 / 2;
    }
    tbody td:is(:nth-of-type(4), :nth-of-type(5)) {
      text-align: start;
    }
  }

  @container tab (max-width: 36rem) {
    .toolbar:empty {
      min-block-size: 10.875rem;
    }
  }
  @container tab (max-width: 22rem) {
    .toolbar:empty:lang(ar) {
      min-block-size: 11.5rem;
    }
  }

  @container tab (max-width: 18rem) {
    tbody,
    tbody tr {
      grid-template-columns: minmax(0, 1fr);
    }
    tbody tr > :is(th, td):nth-child(n) {
      grid-area: auto / 1;
      text-align: start;
    }
    .scopes {
      margin-inline-end: 0;
    }
  }
`
