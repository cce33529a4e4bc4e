/** Selectors of the places that the focus goes to. */
export const places = {
  newKey: '#new-key',
  alert: 'dialog[open] [role=alert]',
  session: '#session-panel',
  notice: '#notice',
  retry: '#retry',
  search: '#search',
  ended: '#ended',
  filter: '#filter',
  /** Where the focus goes when nothing nearer is left. */
  top: ['#title', '#root'],
  copy: (id: number) => `#copy-${id}`,
  copyAndDismiss: (id: number) => `#dismiss-copy-${id}`,
  row: (id: string) => `[data-row="${CSS.escape(id)}"]`,
  menu: (id: string) => `[data-menu="${CSS.escape(id)}"]`,
}
