import { css } from './css.ts'

/** The keys as a table, and what is around it. */
export const table: string = css`
  table {
    inline-size: 100%;
    border-collapse: collapse;
  }
  thead th {
    padding: 8px;
    border-block-end: 1px solid var(--_line);
    color: var(--_muted);
    font-size: 14px;
    font-weight: 500;
    text-align: start;
    white-space: nowrap;
  }
  tbody :is(th, td) {
    padding: 14px 8px;
    border-block-end: 1px solid var(--_line);
    font-weight: 400;
    text-align: start;
    vertical-align: top;
  }
  tbody td {
    font-size: 14px;
  }
  :is(th, td):first-child {
    padding-inline-start: 4px;
  }
  :is(th, td):last-child {
    padding-inline-end: 4px;
  }
  tbody th {
    min-inline-size: 9em;
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
  .expired .name,
  .expired td,
  .revoked .name,
  .revoked td {
    color: var(--_muted);
  }
  .prefix {
    padding: 3px 8px;
    border-radius: 6px;
    background: var(--_soft);
    font-size: 13px;
    white-space: nowrap;
  }
  time,
  .badge,
  td .muted:not(.since) {
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
  .badge.retiring,
  .badge.paused {
    background: light-dark(#fef3c7, #451a03);
    color: light-dark(#78350f, #fde68a);
  }
  .badge.expired,
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
  .actions button {
    padding-inline: 10px;
    font-size: 14px;
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
`
