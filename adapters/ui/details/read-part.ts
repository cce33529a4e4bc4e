import type { PropertyValues } from 'lit'
import { codeOf } from '../calls/client.ts'
import { Part } from '../part.ts'

/** The answers of a host that does not have something, or does not let this user see it. */
const ABSENT = ['usage_not_kept', 'not_found', 'method_not_allowed', 'forbidden']

/** A part of the details that is read when they open. It shows nothing where the host has nothing to say. */
export abstract class ReadPart extends Part {
  static override properties = { ...Part.properties, of: { attribute: false } }
  declare of: string
  phase: 'absent' | 'loading' | 'ready' | 'failed' = 'absent'
  #reading: AbortController | null = null

  /** Reads what is shown. The answer changes what is shown, unless another key is shown by then. */
  protected abstract read(signal: AbortSignal): Promise<object | null>

  protected abstract reset(): void

  override disconnectedCallback(): void {
    super.disconnectedCallback()
    this.#reading?.abort()
    this.#reading = null
  }

  protected override willUpdate(changed: PropertyValues): void {
    if (!changed.has('of')) return
    this.reset()
    void this.load()
  }

  protected async load(): Promise<void> {
    this.#reading?.abort()
    const reading = new AbortController()
    this.#reading = reading
    this.show({ phase: 'loading' })
    try {
      const found = await this.read(reading.signal)
      if (this.#reading === reading) this.show({ ...found, phase: found ? 'ready' : 'absent' })
    } catch (error) {
      if (this.#reading !== reading) return
      const code = codeOf(error) ?? ''
      if (code === 'unauthenticated') this.context.shell.expire()
      else this.show({ phase: ABSENT.includes(code) ? 'absent' : 'failed' })
    }
  }
}
