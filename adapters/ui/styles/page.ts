import { css } from './css.ts'

/** Header, notes, allowance, panels and the skeleton. */
export const page: string = css`
  .header {
    display: flex;
    flex-wrap: wrap;
    gap: 0.75rem 2rem;
    align-items: flex-start;
    justify-content: space-between;
  }
  .titles {
    flex: 1 1 20em;
    max-inline-size: 46em;
    text-wrap: balance;
  }
  #title {
    font-size: 1.5rem;
    font-weight: 600;
    line-height: 1.4;
    margin-block-end: 4px;
  }
  .subheading {
    font-size: 1.125rem;
    font-weight: 600;
    line-height: 1.5;
  }
  .header-actions .primary {
    min-block-size: 2.5rem;
  }
  @container tab (max-width: 36em) {
    .header {
      display: grid;
      grid-template: 'title new' auto 'intro intro' auto / 1fr auto;
      gap: 0.25rem 0.75rem;
      align-items: center;
    }
    .titles {
      display: contents;
    }
    #title {
      grid-area: title;
      margin: 0;
      font-size: 1.375rem;
    }
    .titles > p {
      grid-area: intro;
      font-size: 0.875rem;
      line-height: 1.5;
      text-wrap: pretty;
    }
    .header-actions {
      grid-area: new;
    }
    .allowance {
      flex-wrap: nowrap;
    }
    .allowance.note {
      flex-wrap: wrap;
    }
    .allowance svg {
      flex: 1;
      min-inline-size: 0;
    }
  }

  .note {
    display: flex;
    flex-wrap: wrap;
    gap: 0.5rem 0.75rem;
    align-items: center;
    padding: 0.75rem 1rem;
    border: 1px solid var(--_line);
    border-radius: var(--_radius);
    background: var(--_soft);
    font-size: 0.875rem;
  }
  .note > span {
    flex: 1;
    min-inline-size: 0;
  }
  .note.warn {
    border-color: color-mix(in srgb, var(--_amber-border) 40%, transparent);
    background: var(--_amber-bg);
    color: var(--_amber-fg);
  }
  .note.bad {
    border-color: color-mix(in srgb, var(--_danger) 40%, transparent);
    background: var(--_danger-bg);
    color: var(--_danger);
  }
  .note.bad .small-button {
    margin-block-start: 0.5rem;
  }
  .lock,
  .panel {
    padding: 2.5rem 1.5rem;
    border: 1px solid var(--_line);
    border-radius: calc(var(--_radius) * 1.2);
  }
  .lock {
    display: flex;
    flex-wrap: wrap;
    gap: 1rem;
    align-items: center;
    padding: 1.25rem;
    background: var(--_soft);
  }
  .allowance {
    display: flex;
    flex-wrap: wrap;
    gap: 4px 0.75rem;
    align-items: center;
    font-size: 0.875rem;
  }
  .allowance > span:not(.grow) {
    flex: none;
  }
  .allowance > .grow {
    flex-basis: 16rem;
  }
  .allowance .number {
    font-weight: 600;
    font-variant-numeric: tabular-nums;
  }
  .allowance svg {
    inline-size: 8.75rem;
    block-size: 0.375rem;
    border-radius: 4px;
  }
  [dir='rtl'] .allowance svg {
    transform: scaleX(-1);
  }
  .track {
    fill: color-mix(in srgb, var(--_fg) 14%, var(--_bg));
  }
  .fill {
    fill: var(--_primary);
  }
  .warn .fill {
    fill: var(--_amber-border);
  }

  .panel,
  .panel slot {
    display: grid;
    justify-items: center;
    gap: 0.5rem;
    text-align: center;
  }
  .panel > *,
  .panel slot > * {
    max-inline-size: 34em;
  }
  .panel :is(button, .button) {
    margin-block-start: 0.5rem;
  }
  .medal {
    display: grid;
    place-items: center;
    inline-size: 2.75rem;
    block-size: 2.75rem;
    border-radius: 50%;
    background: color-mix(in srgb, var(--_primary) 12%, var(--_bg));
    color: var(--_primary);
  }
  .medal.warn {
    background: var(--_amber-bg);
    color: var(--_amber-border);
  }

  .list {
    position: relative;
    display: grid;
    gap: var(--_space);
    min-inline-size: 0;
  }
  .progress {
    position: absolute;
    inset-block-start: -2px;
    inset-inline: 0;
    block-size: 2px;
    overflow: hidden;
    background: var(--_line);
  }
  .progress::after {
    content: '';
    display: block;
    block-size: 100%;
    inline-size: 30%;
    background: var(--_primary);
    animation: slide 1.1s ease-in-out infinite alternate;
  }
  @keyframes slide {
    to {
      margin-inline-start: 70%;
    }
  }
  .steps {
    margin-block: 0.5rem;
    padding-inline-start: 1.5em;
    list-style: decimal;
    text-align: start;
  }
  .steps code {
    display: block;
    overflow-wrap: anywhere;
  }
  .skeleton {
    display: grid;
    padding-block-start: 2.375rem;
    border-block-end: 1px solid var(--_line);
  }
  .skeleton-row {
    display: grid;
    grid-template-columns: 4fr 3fr 1fr 2fr 2fr 1fr 3fr;
    gap: 1rem;
    align-items: center;
    block-size: 4rem;
  }
  .skeleton-row + .skeleton-row {
    border-block-start: 1px solid var(--_line);
  }
  .skeleton i {
    block-size: 0.875rem;
    border-radius: 0.4375rem;
    background: color-mix(in srgb, var(--_fg) 11%, var(--_bg));
    animation: pulse 1.4s ease-in-out infinite alternate;
  }
  @keyframes pulse {
    to {
      opacity: 0.45;
    }
  }
`
