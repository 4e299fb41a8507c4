import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

const executablePath = process.env['SETPOINT_CHROMIUM'] ?? '/usr/bin/chromium';

/** The reason to skip; false: there is a browser. CI leaves nothing out. */
export const noBrowser: string | false = existsSync(executablePath)
  ? false
  : `LEFT OUT: no Chromium at ${executablePath} (apt-get install chromium, or set SETPOINT_CHROMIUM)`;

if (noBrowser !== false && process.env['CI']) throw new Error(noBrowser);

export const openBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath, args: ['--no-sandbox', '--headless'] });

/** A page, and all that it complained of: exceptions, violations of the policy, requests to elsewhere. */
export interface Watched {
  readonly page: Page;
  readonly complaints: readonly string[];
}

export async function openPage(browser: Browser, options: BrowserContextOptions = {}): Promise<Watched> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  const complaints: string[] = [];
  page.on('pageerror', ({ message }) => complaints.push(`exception: ${message}`));
  page.on('console', (message) => {
    if (message.text().includes('Content Security Policy')) complaints.push(message.text());
  });
  page.on('request', (request) => {
    if (!request.url().startsWith('http://127.0.0.1:')) complaints.push(`request to ${request.url()}`);
  });
  return { page, complaints };
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The findings of axe above minor, each with its first place. */
export async function findings(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe);
  return page.evaluate(async () => {
    // why: the line before has put it there
    const { axe } = window as unknown as {
      axe: { run(around: object): Promise<{ violations: Violation[] }> };
    };
    interface Violation {
      readonly id: string;
      readonly impact: string;
      readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
    }
    // why: Base UI puts guards around an open list that pass focus on at once, so it never rests on them
    const { violations } = await axe.run({ exclude: [['[data-base-ui-focus-guard]']] });
    return violations
      .filter(({ impact }) => impact !== 'minor')
      .map(({ id, impact, nodes: [node] }) => `${id} (${impact}): ${node?.html} ${node?.failureSummary}`);
  });
}
