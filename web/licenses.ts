import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'vite';

const PACKAGES = ['preact', '@preact/signals', '@preact/signals-core', '@viz-js/viz', 'uplot', '@fontsource-variable/inter'];

/** Writes licenses.txt beside the bundle: the licenses of the packages that are part of it. */
export function licenses(): Plugin {
  return {
    name: 'licenses',
    apply: 'build',
    generateBundle() {
      const source = PACKAGES.map((name) => {
        const folder = join('node_modules', name);
        const files = readdirSync(folder).filter((file) => /^licen[cs]e/i.test(file));
        return [name, ...files.map((file) => readFileSync(join(folder, file), 'utf8').trim())].join('\n\n');
      });
      this.emitFile({ type: 'asset', fileName: 'licenses.txt', source: source.join('\n\n\n') + '\n' });
    },
  };
}
