import { css } from '../styles/css.ts'

/** The amber and the blue banner. */
export const banner: string = css`
  .banner {
    --_b-bg: var(--_amber-bg);
    --_b-fg: var(--_amber-fg);
    --_b-border: var(--_amber-border);
    --_b-edge: color-mix(in srgb, var(--_b-border) 40%, transparent);
    --_b-strong: var(--_amber-strong);
    --_b-on-strong: var(--_on-amber-strong);
    display: grid;
    grid-template: 'icon text close' auto 'secret secret secret' auto / auto 1fr auto;
    gap: 0.5rem 0.75rem;
    padding: 1rem;
    border: 1px solid var(--_b-edge);
    border-inline-start: 0.375rem solid var(--_b-border);
    border-radius: var(--_radius);
    background: var(--_b-bg);
    color: var(--_b-fg);
  }
  .banner.rotated {
    --_b-bg: var(--_blue-bg);
    --_b-fg: var(--_blue-fg);
    --_b-border: var(--_blue-border);
    --_b-strong: var(--_blue-strong);
    --_b-on-strong: var(--_on-blue-strong);
  }
  .banner-icon {
    grid-area: icon;
    padding-block-start: 4px;
  }
  .banner-text {
    grid-area: text;
    min-inline-size: 0;
    overflow-wrap: anywhere;
  }
  .banner-title {
    font-weight: 600;
  }
  .banner-close {
    grid-area: close;
    align-self: start;
  }
  .banner-secret {
    grid-area: secret;
    align-items: stretch;
  }
  .secret {
    flex: 1 1 20em;
    min-inline-size: 0;
    padding: 0.5rem 0.75rem;
    border: 1px solid var(--_b-edge);
    border-radius: calc(var(--_radius) * 0.8);
    background: var(--_field);
    color: var(--_fg);
    font-size: 0.9375rem;
    overflow-wrap: anywhere;
    text-align: left;
    user-select: all;
  }
  .copy {
    min-inline-size: 9em;
  }
  .strong {
    --_button: var(--_b-strong);
    min-block-size: 2.5rem;
    border-color: transparent;
    color: var(--_b-on-strong);
  }
  .banner-line {
    grid-column: 1 / -1;
  }
  .question {
    column-gap: 1rem;
    justify-content: space-between;
    font-weight: 500;
  }
  .question,
  .call {
    padding-block-start: 0.75rem;
    border-block-start: 1px solid var(--_b-edge);
  }
  @container tab (max-width: 44em) {
    .banner-icon {
      display: none;
    }
    .banner-text {
      grid-column: 1 / 3;
    }
    .banner-secret > button,
    .question .row,
    .question button {
      flex: 1 1 100%;
    }
  }
`
