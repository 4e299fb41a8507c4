// Writes dist/, which the published package runs: Node strips no types under node_modules.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, globSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { build, type Metafile, type Plugin } from 'esbuild';
import { definitions } from '../providers/gcp/definitions.ts';

/** Files that the sources read at run time by a relative path and that the compiler does not copy. */
const ASSETS = ['src/**/*.sql', 'src/**/*.lua'];

/** A package of its own, whose tool chain nobody needs but its developers. */
const consoleFolder = 'console/dist';

/** The files of providers/ that the rest of the program imports. */
const entries = ['providers/index.js', 'providers/secrets/index.js', 'providers/witness/s3.js'];

/**
 * The clouds' SDKs are 290 MB with their browsers' builds, maps and declarations, and 22 MB of it is code that we run. So providers/ is
 * bundled with the parts of the SDKs that it uses; all bundles lie in one folder.
 */
const bundles = 'dist/providers/bundle';

/** Packages in CommonJS expect these names, and a module has none of them. */
const commonJs = `
import { createRequire as requireFrom } from 'node:module';
import { dirname as folderOf } from 'node:path';
const require = requireFrom(import.meta.url);
const __filename = import.meta.filename;
const __dirname = folderOf(__filename);
`;

async function bundleProviders(): Promise<void> {
  const { metafile } = await build({
    entryPoints: entries.map((path) => ({ in: join('dist', path), out: nameOf(path) })),
    outdir: bundles,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    metafile: true,
    legalComments: 'none',
    logLevel: 'warning',
    banner: { js: commonJs },
    plugins: [ownFilesStay, sdksOfAws, definitionsOfGoogle],
  });
  for (const name of readdirSync('dist/providers'))
    if (name !== 'bundle') rmSync(join('dist/providers', name), { recursive: true });
  for (const path of entries) {
    mkdirSync(dirname(join('dist', path)), { recursive: true });
    const to = relative(dirname(join('dist', path)), join(bundles, `${nameOf(path)}.js`));
    writeFileSync(join('dist', path), `export * from '${to.startsWith('.') ? to : `./${to}`}';\n`);
  }
  writeFileSync('dist/providers/LICENSES.txt', licencesOf(metafile));
}

function nameOf(path: string): string {
  return path
    .replace(/^providers\//, '')
    .replace(/\.js$/, '')
    .replaceAll('/', '-');
}

/** src/ is there once, and its classes are known by identity: a bundle imports it and holds no copy. */
const ownFilesStay: Plugin = {
  name: 'own files stay',
  setup: ({ onResolve }) => {
    onResolve({ filter: /\/src\// }, ({ path, resolveDir }) => {
      const target = resolve(resolveDir, path);
      if (!target.startsWith(resolve('dist/src'))) return undefined;
      return { path: relative(bundles, target), external: true };
    });
  },
};

/** See the source: there it is quicker to require them. */
const sdksOfAws: Plugin = {
  name: 'SDKs of AWS',
  setup: ({ onLoad }) => {
    onLoad({ filter: /\/dist\/providers\/aws\/sdk\.js$/ }, () => ({
      contents: "export * as ec2 from '@aws-sdk/client-ec2'; export * as sts from '@aws-sdk/client-sts';",
      resolveDir: resolve('dist/providers/aws'),
    }));
  },
};

/** 0.4 of 12 MB: the clients of the SDK are given types of these, and read no definitions themselves. */
const definitionsOfGoogle: Plugin = {
  name: 'definitions of Google Cloud',
  setup: ({ onLoad }) => {
    onLoad({ filter: /\/dist\/providers\/gcp\/definitions\.js$/ }, () => ({
      contents: `export const definitions = JSON.parse(${JSON.stringify(JSON.stringify(definitions))});`,
    }));
    onLoad({ filter: /\/@google-cloud\/compute\/build\/protos\/protos\.json$/ }, () => ({
      contents: '{}',
      loader: 'json',
    }));
  },
};

/** The licence of each package that is in a bundle, as its author asks. */
function licencesOf({ inputs }: Metafile): string {
  const folders = Object.keys(inputs).flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []);
  const texts = [...new Set(folders)].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const [file] = globSync('LICEN[CS]E*', { cwd: folder });
    const text = file === undefined ? 'No licence file.' : readFileSync(join(folder, file), 'utf8').trim();
    return `${name} ${version} (${license})\n\n${text}\n`;
  });
  return texts.join(`\n${'-'.repeat(80)}\n\n`);
}

rmSync('dist', { recursive: true, force: true });
const { status } = spawnSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json'], {
  stdio: 'inherit',
});
if (status === 0) {
  for (const path of globSync(ASSETS)) cpSync(path, join('dist', path), { recursive: true });
  if (existsSync(consoleFolder)) cpSync(consoleFolder, join('dist', consoleFolder), { recursive: true });
  else console.error('setpoint: the console is not built, so dist/ has none. Build it with: npm run console:build');
  await bundleProviders();
}
process.exitCode = status ?? 1;
