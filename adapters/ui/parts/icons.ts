import { html, type SVGTemplateResult, svg, type TemplateResult } from 'lit'

// Drawn here rather than taken from a font, which may lack them.
function icon(shape: SVGTemplateResult): TemplateResult {
  return html`<svg class="icon" viewBox="0 0 20 20" aria-hidden="true">${shape}</svg>`
}

/** The icons of the tab. They are decoration: the words beside them say the same. */
export const icons = {
  plus: icon(svg`<path d="M10 4v12M4 10h12" />`),
  key: icon(svg`<circle cx="7" cy="13" r="3.5" /><path d="m9.5 10.5 7-7M13 7l2.5 2.5" />`),
  lock: icon(
    svg`<rect x="4" y="9" width="12" height="8" rx="2" /><path d="M7 9V6.5a3 3 0 0 1 6 0V9" />`,
  ),
  search: icon(svg`<circle cx="9" cy="9" r="5.5" /><path d="m13 13 4 4" />`),
  filter: icon(svg`<path d="M3 5.5h14M6 10h8M8.5 14.5h3" />`),
  copy: icon(
    svg`<rect x="7" y="7" width="10" height="10" rx="2" /><path d="M13 7V5a2 2 0 0 0-2-2H5a2 2 0 0 0-2 2v6a2 2 0 0 0 2 2h2" />`,
  ),
  check: icon(svg`<path d="m4 10.5 4 4 8-9" />`),
  close: icon(svg`<path d="m5 5 10 10M15 5 5 15" />`),
  warning: icon(svg`<path d="M10 3 2.5 16.5h15zM10 8v4M10 14.3v.2" />`),
  rotate: icon(svg`<path d="M16.5 10a6.5 6.5 0 1 1-2-4.7M16.5 3v3.5H13" />`),
  more: icon(svg`<path d="M10 4.5v.1M10 10v.1M10 15.5v.1" />`),
  user: icon(svg`<circle cx="10" cy="7" r="3.2" /><path d="M4 17c.6-3.4 3-5 6-5s5.4 1.6 6 5" />`),
}
