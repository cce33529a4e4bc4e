import { css } from './css.ts'

/*
 * The keys as cards, where the tab is too narrow for the table: up to 879 px name and actions in one
 * line with the details below them, up to 720 px everything in lines of its own, for fingers.
 * A table of real contents needs up to 870 px.
 */
export const cards: string = css`
  @container tab (max-width: 879px) {
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
      grid-template-columns: repeat(5, auto);
      gap: 12px;
    }
    tbody tr {
      display: grid;
      grid-template-columns: subgrid;
      grid-column: 1 / -1;
      gap: 4px 16px;
      padding: 14px;
      border: 1px solid var(--_line);
      border-radius: calc(var(--_radius) * 1.2);
    }
    tbody :is(th, td) {
      display: block;
      padding: 0;
      border: 0;
      text-align: start;
    }
    tbody :is(th, td):is(:first-child, :last-child) {
      padding-inline: 0;
    }
    tbody th {
      grid-column: 1 / 4;
    }
    tbody tr:not(:has(.actions)) th {
      grid-column: 1 / -1;
    }
    tbody .actions {
      grid-area: 1 / 4 / auto / -1;
    }
    td[data-l] {
      text-align: start;
    }
    td[data-l]::before {
      content: attr(data-l) / '';
      display: block;
      color: var(--_muted);
      font-size: 14px;
    }
  }

  @container tab (max-width: 720px) {
    .header-actions {
      flex: 1 1 100%;
      max-inline-size: none;
      justify-items: stretch;
      text-align: start;
    }
    .header-actions .row > button {
      flex: 1;
    }
    #root :is(button, .button) {
      min-block-size: 44px;
    }
    #root .icon-button {
      inline-size: 44px;
    }
    .search,
    .filter {
      flex: 1 1 100%;
    }
    .filter button {
      flex: 1;
    }
    .lock .button,
    .limit .button {
      flex: 1 1 100%;
    }
    tbody,
    tbody tr {
      grid-template-columns: minmax(0, 1fr);
    }
    tbody :is(th, td) {
      padding-block: 3px;
    }
    tbody th,
    tbody .actions {
      grid-area: auto / 1;
    }
    tbody td[data-l] {
      display: grid;
      grid-template-columns: minmax(0, 2fr) minmax(min-content, 3fr);
      gap: 12px;
      align-items: baseline;
    }
    td .badge {
      justify-self: start;
    }
    .actions .row {
      padding-block-start: 8px;
    }
    .actions .row > button {
      flex: 1;
    }
    summary {
      min-block-size: 32px;
    }
  }
`
