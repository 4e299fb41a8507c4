// node figures.ts [--FIGURE…]: figures of the console, one JSON object a line. `npm run bench -- console` starts it.
import { gzipSync } from 'node:zlib';
import { type ConsoleWorld, inConsoleWorld, rowsOf } from '../../../bench/console/estate.ts';
import { speakHostile } from '../../../bench/console/hostile-rows.ts';
import type { Figure } from '../../../bench/figure.ts';
import { noBrowser, openBrowser } from '../support/browser.ts';
import { asset, firstFiles, firstScripts, page } from '../support/first-load.ts';
import { apiBesideConsole } from './api.ts';
import { frame } from './frame.ts';
import { hostile } from './hostile.ts';
import { live } from './live.ts';
import { paint } from './paint.ts';

const names = new Set(process.argv.slice(2).map((arg) => arg.replace(/^--/, '')));

const isAsked = (...some: readonly string[]): boolean => names.size === 0 || some.some((name) => names.has(name));

const tell = (figures: readonly Figure[]): void => {
  for (const figure of figures) process.stdout.write(`${JSON.stringify(figure)}\n`);
};

/** All that the browser asks for before the first screen: the page, scripts, styles and the icon, without the map. */
function firstLoad(): Figure {
  const files = [...firstScripts(), ...firstFiles()].map((name) => [name, asset(name)] as const);
  const sizes = [['index.html', Buffer.from(page())] as const, ...files].map(
    ([name, bytes]) => [name, gzipSync(bytes).length] as const,
  );
  const total = sizes.reduce((sum, [, size]) => sum + size, 0);
  return {
    ...{ name: 'console-js', value: Math.round((total / 1024) * 10) / 10, unit: 'KiB of gzip' },
    evidence: sizes.map(([name, size]) => `${name}: ${size} bytes`),
  };
}

async function inBrowser(): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const browser = await openBrowser();
  stack.defer(() => browser.close());
  const rows = rowsOf(10_000);
  if (isAsked('console-paint', 'console-live'))
    await inConsoleWorld(rows, async (world: ConsoleWorld) => {
      if (isAsked('console-paint')) tell(await paint(browser, world));
      if (isAsked('console-live')) tell(await live(browser, world, rows));
    });
  if (isAsked('console-frame')) {
    const count = 100_000;
    await inConsoleWorld(rowsOf(count), async (world) => tell(await frame(browser, world, count)));
  }
  if (isAsked('console-hostile'))
    await inConsoleWorld(new Map(), async (world) => tell(await hostile(browser, world)), speakHostile);
  if (isAsked('console-api')) tell(await apiBesideConsole(browser));
}

if (isAsked('console-js')) tell([firstLoad()]);
if (noBrowser === false) await inBrowser();
else process.stderr.write(`console: ${noBrowser}\n`);
