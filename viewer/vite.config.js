// One script and one style sheet, which the Python package puts into a page.
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vite';

export default defineConfig({
  plugins: [svelte({ compilerOptions: { css: 'external' } })],
  build: {
    outDir: '../python/hopscope/report/built',
    // The engine for pages lies there too.
    emptyOutDir: false,
    target: 'es2022',
    cssCodeSplit: false,
    modulePreload: false,
    lib: { entry: 'src/main.ts', formats: ['iife'], name: 'hopscope', fileName: () => 'page.js', cssFileName: 'page' },
  },
});
