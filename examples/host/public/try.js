/** How long the server may take to write counted uses: its flush interval and a little more. */
const FLUSH_MS = 1_300

/** The pane that calls the public API with a pasted key. */
export function showTry({ words, onUsed }) {
  const form = document.querySelector('#try')
  const secret = document.querySelector('#secret')
  secret.addEventListener('input', () => {
    document.querySelector('#echo').textContent = `${secret.value.slice(0, 12)}…`
  })
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    await call(secret.value.trim(), words())
    setTimeout(onUsed, FLUSH_MS)
  })
}

async function call(secret, words) {
  try {
    const headers = { Authorization: `Bearer ${secret}` }
    const response = await fetch('/api/public/v1/contacts', { headers, cache: 'no-store' })
    const body = await response.json()
    const meaning = response.ok ? words.ok : (words.refused[body.code] ?? body.detail)
    show({ good: response.ok, status: `${response.status}`, meaning, body })
  } catch {
    show({ good: false, status: '', meaning: words.unreachable, body: null })
  }
}

function show({ good, status, meaning, body }) {
  const answer = document.querySelector('#answer')
  answer.hidden = false
  answer.dataset.good = String(good)
  answer.querySelector('#status').textContent = status
  answer.querySelector('#meaning').textContent = meaning
  const pre = answer.querySelector('#body')
  pre.hidden = body === null
  pre.textContent = body === null ? '' : JSON.stringify(body, null, 2)
}
