import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, test } from 'node:test';
import { noBrowser, openBrowser, openPage } from './support/browser.ts';

const root = join(import.meta.dirname, '../..');

interface Demo {
  readonly process: ChildProcess;
  readonly lines: readonly string[];
  /** Resolves with the match of the first line that fits. */
  line(pattern: RegExp): Promise<RegExpExecArray>;
}

function startDemo(): Demo {
  const child = spawn(process.execPath, [join(root, 'scripts/demo.ts'), '--serve'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  after(() => child.kill('SIGKILL'));
  const lines: string[] = [];
  const waiting = new Set<() => void>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line);
    for (const look of waiting) look();
  });
  const line = (pattern: RegExp): Promise<RegExpExecArray> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        const match = lines.map((one) => pattern.exec(one)).find((one) => one !== null);
        if (match === undefined || match === null) return;
        waiting.delete(look);
        resolve(match);
      };
      waiting.add(look);
      child.once('exit', (code) => reject(new Error(`the demo ended with ${code}:\n${lines.join('\n')}`)));
      look();
    });
  return { process: child, lines, line };
}

test('npm run demo -- --serve: the console at the printed address shows the edit of a colleague', {
  skip: noBrowser,
  timeout: 300_000,
}, async () => {
  const demo = startDemo();
  const [, url = ''] = await demo.line(/The console: +(http:\S+)$/);
  const [, token = ''] = await demo.line(/Its token: +(\S+)$/);
  const [, folder = ''] = await demo.line(/--dir (\S+)\/\.setpoint/);
  const browser = await openBrowser();
  try {
    const { page, complaints } = await openPage(browser, url);
    await page.goto(`${url}/ledger`);
    await page.locator('#token').fill(token);
    await page.keyboard.press('Enter');
    const [, port = ''] = await demo.line(/eve opens (\d+)\/tcp to the world on AWS$/);
    // why: the page is live, so nobody reloads it. The edit is healed within seconds, and the ledger keeps it
    await page
      .getByText(new RegExp(`tcp\\.${port}\\b`))
      .first()
      .waitFor({ timeout: 90_000 });
    assert.deepEqual(complaints, []);
  } finally {
    await browser.close();
  }
  demo.process.kill('SIGINT');
  // why: the next edit is up to 20 s away, and Ctrl-C waits for none
  const [code] = await once(demo.process, 'exit', { signal: AbortSignal.timeout(12_000) });
  assert.equal(code, 0, demo.lines.join('\n'));
  assert.equal(existsSync(folder), false, 'it leaves nothing behind');
});
