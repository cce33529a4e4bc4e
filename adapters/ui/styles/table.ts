import { css } from './css.ts'

/** The keys as a table, and what is around it. */
export const table: string = css`
  table {
    inline-size: 100%;
    border-collapse: collapse;
  }
  thead th {
    padding: 0.5rem;
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
    block-size: 4rem;
    padding: 0.375rem 0.5rem;
    border-block-end: 1px solid var(--_line);
    font-weight: 400;
    text-align: start;
  }
  tbody tr:hover {
    background: color-mix(in srgb, var(--_fg) 3%, var(--_bg));
  }
  tbody .fresh {
    background: color-mix(in srgb, var(--_primary) 12%, var(--_bg));
  }
  tbody td {
    font-size: 0.875rem;
  }
  :is(th, td):is(:first-child, :last-child) {
    padding-inline: 4px;
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
  .by,
  .scopes {
    display: inline-block;
    margin-inline-end: 0.5rem;
    font-size: 0.875rem;
    overflow-wrap: anywhere;
  }
  .expired .name,
  .expired td,
  .revoked .name,
  .revoked td {
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
  /* The exact instant, for keyboards and fingers too. */
  time:focus::after {
    content: attr(title) / '';
    position: absolute;
    inset-block-end: calc(100% + 0.375rem);
    inset-inline-start: 0;
    z-index: 1;
    padding: 2px 0.625rem;
    border-radius: 0.375rem;
    background: var(--_fg);
    color: var(--_bg);
  }
  /* Digits always run left to right, so they line up at the right edge in both directions. */
  .number {
    text-align: right;
    font-variant-numeric: tabular-nums;
  }
  .badge {
    display: inline-block;
    padding: 1px 0.625rem;
    border: 1px solid transparent;
    border-radius: 6.1875rem;
    font-size: 0.875rem;
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
  .badge:is(.expired, .revoked, .inactive, .lineage) {
    background: light-dark(#f3f4f6, #374151);
    color: light-dark(#4b5563, #d1d5db);
  }
  .lineage {
    margin-inline-start: 4px;
    font-size: 0.8125rem;
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
  }
  .actions .row {
    gap: 4px;
  }
  .actions button {
    padding-inline: 0.625rem;
    font-size: 0.875rem;
  }

  .scopes.open {
    display: block;
  }
  summary,
  #root .fold {
    display: inline-block;
    min-block-size: 1.5rem;
    padding: 0;
    border: 0;
    border-radius: 4px;
    background: none;
    color: var(--_muted);
    font-size: inherit;
    font-weight: 400;
    cursor: pointer;
    list-style: none;
  }
  summary::-webkit-details-marker {
    display: none;
  }
  :is(summary, .fold)::after {
    content: '' / '';
    display: inline-block;
    inline-size: 0.375rem;
    block-size: 0.375rem;
    margin-inline-start: 0.5rem;
    border: solid currentColor;
    border-width: 0 1.5px 1.5px 0;
    transform: translateY(-3px) rotate(45deg);
  }
  :is(details[open] > summary, .fold[aria-expanded='true'])::after {
    transform: rotate(-135deg);
  }
  .scopes ul {
    list-style: none;
    padding-block: 4px;
  }
  .scopes code {
    color: var(--_muted);
    font-size: 0.875rem;
  }

  .toolbar {
    min-block-size: 4.25rem;
    display: flex;
    flex-wrap: wrap;
    gap: 0.75rem;
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
  @media (forced-colors: active) {
    .filter button[aria-pressed='true'] {
      background: Highlight;
      color: HighlightText;
    }
    .skeleton i {
      border: 1px solid GrayText;
    }
  }
`
