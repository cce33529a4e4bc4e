import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

/**
 * A script of the React example's folder as one module, in the form that goes to production, or in that
 * of development, where React warns.
 */
export async function reactBundle(
  contents: string,
  mode: 'production' | 'development' = 'production',
): Promise<string> {
  const { outputFiles } = await build({
    stdin: {
      contents,
      resolveDir: fileURLToPath(new URL('../../../examples/react-settings', import.meta.url)),
    },
    bundle: true,
    write: false,
    format: 'esm',
    define: { 'process.env.NODE_ENV': JSON.stringify(mode) },
    conditions: [mode],
    // The package speaks of its built files; here its sources are bundled.
    ignoreAnnotations: true,
  })
  return outputFiles[0]?.text ?? ''
}
