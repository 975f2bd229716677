import { defineConfig } from 'vite';

const address = 'http://127.0.0.1:8080';

/** Proxies the API in development with its own origin, since the service rejects other origins. */
const service = { target: address, changeOrigin: true, headers: { origin: address } };

export default defineConfig({
  base: '/',
  // ES modules let the worker load grammars one by one.
  worker: { format: 'es' },
  build: {
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2022',
    chunkSizeWarningLimit: 700,
    rolldownOptions: {
      onwarn(warning, tell) {
        // The `use client` directive of a dependency is irrelevant without server rendering.
        if (warning.code !== 'MODULE_LEVEL_DIRECTIVE') tell(warning);
      },
    },
  },
  server: { proxy: { '/api': service, '/docs': service, '/openapi.json': service } },
});
