import { css } from './css.ts'

/** The keys as a table, and what is around it. */
export const table: string = css`
  table {
    --_gap: 0.5rem;
    inline-size: 100%;
    border-spacing: 0;
  }
  thead th {
    padding: 0.5rem var(--_gap);
    border-block-end: 1px solid var(--_line);
    color: var(--_muted);
    font-size: 0.875rem;
    font-weight: 500;
    text-align: start;
    white-space: nowrap;
  }
  tbody tr {
    line-height: 1.5;
  }
  tbody :is(th, td) {
    block-size: calc(4rem * var(--_density));
    padding: calc(0.375rem * var(--_density)) var(--_gap);
    border-block-end: 1px solid var(--_line);
    font-weight: 400;
    text-align: start;
  }
  tbody tr {
    --_row: transparent;
    background: var(--_row);
    box-shadow: -0.5rem 0 var(--_row), 0.5rem 0 var(--_row);
  }
  tbody tr:not(.group):hover {
    --_row: color-mix(in srgb, var(--_fg) 3%, var(--_bg));
  }
  tbody .fresh {
    --_row: color-mix(in srgb, var(--_primary) 12%, var(--_bg));
  }
  tbody td {
    font-size: 0.875rem;
  }
  :is(th, td):first-child {
    padding-inline-start: 0;
  }
  :is(th, td):last-child {
    padding-inline-end: 0;
  }
  tbody th {
    min-inline-size: 9em;
    scroll-margin-block: 5rem;
  }
  .name {
    display: block;
    font-weight: 600;
    overflow-wrap: anywhere;
  }
  #root :is(.fold, .name-button) {
    display: inline-block;
    min-block-size: 1.5rem;
    padding: 0;
    border: 0;
    border-radius: 4px;
    background: none;
  }
  #root .name-button {
    color: inherit;
    font: inherit;
    text-align: start;
  }
  #root .name-button:hover {
    color: var(--_primary);
    text-decoration: underline;
    text-underline-offset: 3px;
  }
  .group th {
    block-size: auto;
    padding-block: 0.75rem 0.375rem;
    color: var(--_muted);
    font-size: 0.875rem;
  }
  .by {
    display: inline-block;
    margin-inline-end: 0.5rem;
    font-size: 0.875rem;
    overflow-wrap: anywhere;
  }
  :is(.expired, .revoked) :is(.name, td) {
    color: var(--_muted);
  }
  .prefix {
    padding: 3px 0.5rem;
    border-radius: 0.375rem;
    background: var(--_soft);
    font-size: 0.8125rem;
    white-space: nowrap;
  }
  time,
  .badge,
  td .muted {
    white-space: nowrap;
  }
  time {
    position: relative;
    border-radius: 4px;
  }
  /* Digits always run left to right, so they line up at the right edge in both directions. */
  .number {
    text-align: right;
    font-variant-numeric: tabular-nums;
  }
  .badge {
    display: inline-block;
    padding: 1px 0.5625rem;
    border: 1px solid transparent;
    border-radius: 6.1875rem;
    font-size: 0.8125rem;
    font-weight: 500;
  }
  /* The status is the badge that speaks; live and test are a quiet pair beside it. */
  .badge:is(.live, .test) {
    border-color: var(--_line);
    background: var(--_badge-bg);
    color: var(--_badge-fg);
  }
  .badge.active {
    background: var(--_ok-bg);
    color: var(--_ok-fg);
  }
  .badge:is(.retiring, .paused) {
    background: var(--_amber-bg);
    border-color: color-mix(in srgb, var(--_amber-border) 35%, transparent);
    color: var(--_amber-fg);
  }
  .badge:is(.expired, .revoked, .inactive) {
    background: var(--_soft);
    color: var(--_muted);
  }
  .since {
    display: block;
    color: var(--_muted);
  }
  /* A date stays whole; a name may be too long for that. */
  tr:not(.paused) .since bdi {
    white-space: nowrap;
  }
  .soon {
    color: var(--_amber-fg);
  }
  .actions .row {
    flex-wrap: nowrap;
    justify-content: flex-end;
    gap: 4px;
  }
  .actions button {
    padding-inline: 0.625rem;
  }
  .actions .icon-button {
    inline-size: 1.75rem;
  }

  #root .fold {
    color: var(--_muted);
    font-size: inherit;
    font-weight: 400;
  }
  .fold::after {
    content: '' / '';
    display: inline-block;
    inline-size: 0.375rem;
    block-size: 0.375rem;
    margin-inline: 0.5rem 2px;
    border: solid currentColor;
    border-width: 0 1.5px 1.5px 0;
    transform: translateY(-3px) rotate(45deg);
  }
  .fold[aria-expanded='true']::after {
    transform: rotate(-135deg);
  }

  /* Not in units of the container: they would make the browser work out each cell on its own. */
  @container tab (min-width: 65em) {
    table {
      --_gap: 0.64rem;
    }
  }
  @container tab (min-width: 69em) {
    table {
      --_gap: 0.75rem;
    }
  }
  .toolbar {
    min-block-size: 2.75rem;
    column-gap: 0.75rem;
  }
  @media (forced-colors: active) {
    .skeleton i {
      border: 1px solid GrayText;
    }
  }
`
