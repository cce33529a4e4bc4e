import { css } from './css.ts'

/** Header, notes, allowance, panels and the skeleton. */
export const page: string = css`
  .header {
    display: flex;
    flex-wrap: wrap;
    gap: 12px 32px;
    align-items: flex-start;
    justify-content: space-between;
  }
  .titles {
    flex: 1 1 20em;
    max-inline-size: 46em;
    text-wrap: pretty;
  }
  #title {
    font-size: 24px;
    font-weight: 600;
    line-height: 1.4;
    margin-block-end: 4px;
  }
  .subheading {
    font-size: 18px;
    font-weight: 600;
    line-height: 1.5;
  }
  .header-actions {
    display: grid;
    gap: 6px;
    justify-items: end;
    max-inline-size: 18em;
    text-align: end;
  }
  .header-actions .primary {
    min-block-size: 40px;
  }

  .note {
    display: flex;
    flex-wrap: wrap;
    gap: 8px 12px;
    align-items: center;
    padding: 10px 14px;
    border: 1px solid var(--_line);
    border-radius: var(--_radius);
    background: var(--_soft);
    font-size: 15px;
  }
  .note > span {
    flex: 1;
    min-inline-size: 0;
  }
  .note.warn,
  .note.limit {
    border-color: var(--_amber-border);
    background: var(--_amber-bg);
    color: var(--_amber-fg);
  }
  .note.bad {
    border-color: var(--_danger);
    background: var(--_danger-bg);
    color: var(--_danger);
  }
  .note.bad .small-button {
    margin-block-start: 8px;
  }
  .lock {
    padding: 20px;
    border: 1px solid var(--_line);
    border-radius: calc(var(--_radius) * 1.2);
    background: var(--_soft);
  }
  .lock,
  .lock slot {
    display: flex;
    flex-wrap: wrap;
    gap: 16px;
    align-items: center;
  }
  .lock slot {
    flex: 1;
  }

  .allowance {
    display: flex;
    flex-wrap: wrap;
    gap: 4px 12px;
    align-items: center;
    font-size: 15px;
  }
  .allowance-label {
    color: var(--_muted);
  }
  .allowance .number {
    font-weight: 600;
    font-variant-numeric: tabular-nums;
  }
  .allowance svg {
    inline-size: 140px;
    block-size: 8px;
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
  .full .fill {
    fill: var(--_amber-border);
  }

  .panel,
  .panel slot {
    display: grid;
    justify-items: center;
    gap: 8px;
    text-align: center;
  }
  .panel {
    padding: 40px 24px;
    border: 1px solid var(--_line);
    border-radius: calc(var(--_radius) * 1.2);
  }
  .panel > *,
  .panel slot > * {
    max-inline-size: 34em;
  }
  .panel :is(button, .button) {
    margin-block-start: 8px;
  }
  .panel.slim {
    padding: 24px;
  }
  .medal {
    display: grid;
    place-items: center;
    inline-size: 44px;
    block-size: 44px;
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
  .skeleton {
    display: grid;
    border-block: 1px solid var(--_line);
  }
  .skeleton-row {
    display: grid;
    grid-template-columns: 3fr 2fr 1fr 2fr;
    gap: 24px;
    align-items: center;
    block-size: 108px;
  }
  .skeleton-row + .skeleton-row {
    border-block-start: 1px solid var(--_line);
  }
  .skeleton i {
    block-size: 14px;
    border-radius: 7px;
    background: color-mix(in srgb, var(--_fg) 11%, var(--_bg));
    animation: pulse 1.4s ease-in-out infinite alternate;
  }
  @keyframes pulse {
    to {
      opacity: 0.45;
    }
  }
`
