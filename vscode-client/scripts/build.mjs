// Bundles the extension to dist/extension.js; with `test` or `e2e`, the tests in that folder to dist/ as well.
import { readdirSync, rmSync } from 'node:fs';
import { build } from 'esbuild';

const common = { bundle: true, platform: 'node', target: 'node20', logLevel: 'warning' };

await build({
  ...common,
  entryPoints: ['src/extension.ts'],
  outfile: 'dist/extension.js',
  format: 'cjs',
  external: ['vscode'],
  minify: true,
});

for (const folder of process.argv.slice(2)) {
  rmSync(`dist/${folder}`, { recursive: true, force: true });
  await build({
    ...common,
    entryPoints: readdirSync(folder)
      .filter(name => name.endsWith('.test.ts'))
      .map(name => `${folder}/${name}`),
    outdir: `dist/${folder}`,
    format: 'esm',
    outExtension: { '.js': '.mjs' },
    external: ['playwright-core', 'sharp'],
  });
}
