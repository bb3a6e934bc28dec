import { defineConfig } from 'vite';
import { licenses } from './licenses.ts';

// Two builds into dist/: the page (index.html, also the static classroom folder), and with `--mode widget` one module for notebooks.
export default defineConfig(({ mode }) => ({
  base: './',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build:
    mode === 'widget'
      ? {
          emptyOutDir: false,
          copyPublicDir: false,
          lib: { entry: 'src/widget.tsx', formats: ['es'], fileName: () => 'widget.js', cssFileName: 'widget' },
          // A notebook loads one module and nothing beside it.
          rolldownOptions: { output: { codeSplitting: false } },
        }
      : { modulePreload: { polyfill: false }, assetsInlineLimit: 0, chunkSizeWarningLimit: 2000 },
  plugins: mode === 'widget' ? [] : [licenses()],
}));
