import { codeOf } from '../calls/client.ts'
import { Part } from '../part.ts'

/** The answers of a host that does not have something, or does not let this user see it. */
const ABSENT = ['usage_not_kept', 'not_found', 'method_not_allowed', 'forbidden']

/** A part that reads something of its own when it is shown. `absent` is what the host has nothing to say of. */
export abstract class ReadPart extends Part {
  phase: 'absent' | 'loading' | 'ready' | 'failed' = 'absent'
  #reading: AbortController | null = null

  /** Reads what is shown, or what is next of it; `null` where there is nothing to read. */
  protected abstract read(signal: AbortSignal): Promise<object | null>

  override disconnectedCallback(): void {
    super.disconnectedCallback()
    this.#reading?.abort()
    this.#reading = null
  }

  protected override firstUpdated(): void {
    void this.load()
  }

  /** Of two readings the later one is shown. */
  protected async load(): Promise<void> {
    if (!this.isConnected) return
    this.#reading?.abort()
    const reading = new AbortController()
    this.#reading = reading
    this.show({ phase: 'loading' })
    try {
      const found = await this.read(reading.signal)
      if (this.#reading === reading) this.show({ ...found, phase: found ? 'ready' : 'absent' })
    } catch (error) {
      if (this.#reading !== reading || this.shell.signedOut(error)) return
      this.show({ phase: ABSENT.includes(codeOf(error) ?? '') ? 'absent' : 'failed' })
    }
  }
}
