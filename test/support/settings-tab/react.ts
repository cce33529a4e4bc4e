import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const fromRoot = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url))

/** A script of the React example's folder as one module, in the form of development, where React warns. */
export async function reactBundle(contents: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: fromRoot('examples/react-settings') },
    // That of the examples has no paths, and leads to what was built last.
    tsconfig: fromRoot('tsconfig.json'),
    bundle: true,
    write: false,
    format: 'esm',
    define: { 'process.env.NODE_ENV': '"development"' },
    conditions: ['development'],
    // The package speaks of its built files; here its sources are bundled.
    ignoreAnnotations: true,
  })
  return outputFiles[0]?.text ?? ''
}
