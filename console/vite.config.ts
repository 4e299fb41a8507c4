import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

const { SETPOINT_SERVER: server = 'http://127.0.0.1:7420', SETPOINT_TOKEN: token } = process.env;

/** `npm run dev` in console/ asks the API at SETPOINT_SERVER; with SETPOINT_TOKEN you are signed in. */
const toApi = {
  target: server,
  changeOrigin: true,
  ...(token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } }),
};

const licences = 'LICENSES.md';

/** Below the name of each bundled package: the EPL of elkjs asks for the place of its source. */
const placesOfSources: Plugin = {
  name: 'places of sources',
  writeBundle({ dir = 'dist' }) {
    const file = join(dir, licences);
    const withPlaces = readFileSync(file, 'utf8').replace(
      /^## (\S+) - \d\S* \(.+\)$/gm,
      (heading, name: string) => `${heading}\n\nSource: ${sourceOf(name)}`,
    );
    writeFileSync(file, withPlaces);
  },
};

function sourceOf(name: string): string {
  const { repository } = JSON.parse(
    readFileSync(join(import.meta.dirname, 'node_modules', name, 'package.json'), 'utf8'),
  );
  const address: string = typeof repository === 'string' ? repository : repository.url;
  const path = address.replace(/^(?:git\+)?(?:https|ssh|git):\/\/(?:git@)?|^github:|\.git$/g, '');
  return path.startsWith('github.com/') ? `https://${path}` : `https://github.com/${path}`;
}

// biome-ignore lint/style/noDefaultExport: Vite reads the default export
export default defineConfig({
  base: '/',
  plugins: [react(), placesOfSources],
  build: {
    outDir: 'dist',
    sourcemap: false,
    license: { fileName: licences },
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
