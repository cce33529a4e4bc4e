import { css } from './css.ts'

/** The keys as a table, and as cards where it would not fit. */
export const table: string = css`
  table {
    inline-size: 100%;
    border-collapse: collapse;
  }
  thead th {
    padding: 8px 12px;
    border-block-end: 1px solid var(--_line);
    color: var(--_muted);
    font-size: 14px;
    font-weight: 500;
    text-align: start;
    white-space: nowrap;
  }
  tbody :is(th, td) {
    padding: 14px 12px;
    border-block-end: 1px solid var(--_line);
    font-weight: 400;
    text-align: start;
    vertical-align: top;
  }
  :is(th, td):first-child {
    padding-inline-start: 4px;
  }
  :is(th, td):last-child {
    padding-inline-end: 4px;
  }
  tbody th {
    min-inline-size: 11em;
    scroll-margin-block: 80px;
  }
  .name {
    display: block;
    font-weight: 600;
    overflow-wrap: anywhere;
  }
  .by {
    display: block;
    font-size: 14px;
    overflow-wrap: anywhere;
  }
  .revoked .name,
  .revoked td {
    color: var(--_muted);
  }
  .prefix {
    padding: 3px 8px;
    border-radius: 6px;
    background: var(--_soft);
    white-space: nowrap;
  }
  time,
  .badge {
    white-space: nowrap;
  }
  /* Digits always run left to right, so they line up at the right edge in both directions. */
  .number {
    text-align: right;
    font-variant-numeric: tabular-nums;
  }
  .badge {
    display: inline-block;
    padding: 1px 10px;
    border: 1px solid transparent;
    border-radius: 99px;
    font-size: 14px;
    font-weight: 500;
  }
  .badge.live {
    background: light-dark(#f3e8ff, #3b0764);
    color: light-dark(#3b0764, #e9d5ff);
  }
  .badge.test {
    background: light-dark(#e0f2fe, #082f49);
    color: light-dark(#0c4a6e, #bae6fd);
  }
  .badge.active {
    background: light-dark(#dcfce7, #052e16);
    color: light-dark(#14532d, #bbf7d0);
  }
  .badge.revoked {
    background: light-dark(#f3f4f6, #374151);
    color: light-dark(#4b5563, #d1d5db);
  }
  .since {
    display: block;
  }
  .actions .row {
    flex-wrap: nowrap;
    justify-content: flex-end;
  }

  .scopes {
    margin-block-start: 2px;
    font-size: 14px;
  }
  summary {
    display: inline-block;
    min-block-size: 24px;
    border-radius: 4px;
    color: var(--_muted);
    cursor: pointer;
    list-style: none;
  }
  summary::-webkit-details-marker {
    display: none;
  }
  summary::after {
    content: '' / '';
    display: inline-block;
    inline-size: 6px;
    block-size: 6px;
    margin-inline-start: 8px;
    border: solid currentColor;
    border-width: 0 1.5px 1.5px 0;
    transform: translateY(-3px) rotate(45deg);
  }
  details[open] summary::after {
    transform: rotate(-135deg);
  }
  .scopes ul {
    list-style: none;
    padding-block: 4px;
  }
  .scopes code {
    color: var(--_muted);
    font-size: 14px;
  }

  .toolbar {
    display: flex;
    flex-wrap: wrap;
    gap: 12px;
    align-items: end;
    justify-content: space-between;
  }
  .filter {
    display: inline-flex;
    gap: 2px;
    padding: 3px;
    border-radius: var(--_radius);
    background: var(--_soft);
  }
  .filter button {
    border-color: transparent;
    background: transparent;
  }
  .filter button[aria-pressed='true'] {
    border-color: var(--_control);
    background: var(--_field);
  }
  .search {
    display: grid;
    flex: 0 1 20em;
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
    table,
    tbody,
    tr,
    tbody :is(th, td) {
      display: block;
      inline-size: 100%;
    }
    thead {
      position: absolute;
      inline-size: 1px;
      block-size: 1px;
      overflow: hidden;
      clip-path: inset(50%);
    }
    tbody {
      display: grid;
      gap: 12px;
    }
    tbody tr {
      padding: 14px;
      border: 1px solid var(--_line);
      border-radius: calc(var(--_radius) * 1.2);
    }
    tbody :is(th, td) {
      padding: 5px 0;
      border: 0;
    }
    tbody :is(th, td):is(:first-child, :last-child) {
      padding-inline: 0;
    }
    tbody th {
      padding-block-end: 8px;
    }
    tbody td[data-l] {
      display: grid;
      grid-template-columns: minmax(0, 2fr) minmax(0, 3fr);
      gap: 12px;
      align-items: baseline;
      text-align: start;
    }
    td[data-l]::before {
      content: attr(data-l) / '';
      color: var(--_muted);
      font-size: 14px;
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
