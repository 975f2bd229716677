import { defineConfig } from 'vite';

const address = 'http://127.0.0.1:8080';

/** In development the pages come from vite and the API from a service on its default port, which trusts its own pages only. */
const service = { target: address, changeOrigin: true, headers: { origin: address } };

export default defineConfig({
  base: '/',
  // Grammars are read one by one, also beside the page.
  worker: { format: 'es' },
  build: {
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2022',
    chunkSizeWarningLimit: 700,
    rolldownOptions: {
      onwarn(warning, tell) {
        // A note for servers that render React; here everything runs in the browser.
        if (warning.code !== 'MODULE_LEVEL_DIRECTIVE') tell(warning);
      },
    },
  },
  server: { proxy: { '/api': service, '/docs': service, '/openapi.json': service } },
});
