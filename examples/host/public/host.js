import { TEXT } from './text.js'
import { showTry } from './try.js'

const tab = document.querySelector('api-keys-tab')
const state = { language: firstLanguage(), session: null }

const words = () => TEXT[state.language]

function firstLanguage() {
  const asked = new URLSearchParams(location.search).get('lang') ?? navigator.language
  return asked.startsWith('ar') ? 'ar' : 'en'
}

function render() {
  const root = document.documentElement
  root.lang = state.language
  root.dir = state.language === 'ar' ? 'rtl' : 'ltr'
  document.title = words().title
  for (const element of document.querySelectorAll('[data-text]')) {
    element.textContent = words()[element.dataset.text]
  }
  for (const button of document.querySelectorAll('[data-language]')) {
    button.ariaPressed = String(button.dataset.language === state.language)
  }
  renderSession()
}

function renderSession() {
  const { current, workspaces } = state.session
  const workspace = workspaces.find(({ id }) => id === current)
  document.querySelector('#user').textContent = workspace?.user.name ?? ''
  document.querySelector('#plan').textContent = words().plan[workspace?.plan] ?? ''
  const place = document.querySelector('#workspaces')
  for (const button of place.querySelectorAll('button')) button.remove()
  place.append(...workspaces.map((each) => workspaceButton(each, each.id === current)))
}

function workspaceButton({ id, name, plan }, pressed) {
  const button = document.createElement('button')
  const [arabic, english] = name.split(' · ').sort((a, b) => isArabic(b) - isArabic(a))
  button.type = 'button'
  button.append(state.language === 'ar' ? arabic : english, planLabel(plan))
  button.dataset.workspace = id
  button.ariaPressed = String(pressed)
  button.addEventListener('click', () => enter(id))
  return button
}

function planLabel(plan) {
  const label = document.createElement('small')
  label.textContent = words().plan[plan]
  return label
}

function isArabic(text) {
  return /\p{Script=Arabic}/u.test(text) ? 1 : 0
}

async function enter(workspace) {
  await fetch(`/demo/session/${workspace}`, { method: 'POST' })
  location.reload()
}

async function start() {
  state.session = await (await fetch('/demo/session')).json()
  for (const button of document.querySelectorAll('[data-language]')) {
    button.addEventListener('click', () => {
      state.language = button.dataset.language
      render()
    })
  }
  render()
  showTry({ words, onUsed: () => tab.refresh() })
}

await start()
