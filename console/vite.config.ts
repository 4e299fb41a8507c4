import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const { SETPOINT_SERVER: server = 'http://127.0.0.1:7420', SETPOINT_TOKEN: token } = process.env;

/** `npm run dev` in console/ asks the API at SETPOINT_SERVER; with SETPOINT_TOKEN you are signed in. */
const toApi = {
  target: server,
  changeOrigin: true,
  ...(token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } }),
};

// biome-ignore lint/style/noDefaultExport: Vite reads the default export
export default defineConfig({
  base: '/',
  plugins: [react()],
  build: {
    outDir: 'dist',
    sourcemap: false,
    // why: the content security policy allows no data: addresses
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2022',
    reportCompressedSize: true,
    // why: a test holds the first load to 300 KiB as gzip
    chunkSizeWarningLimit: 1000,
  },
  server: { host: '127.0.0.1', proxy: { '/v1': toApi } },
});
