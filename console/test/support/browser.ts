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

/** A page, and all that it complained of: exceptions, errors on its console, violations of the policy, requests to elsewhere. */
export interface Watched {
  readonly page: Page;
  readonly complaints: readonly string[];
  /** The test itself makes these errors on the console of the page. */
  expect(error: RegExp): void;
}

/** Chromium writes it for the question that tells the console that nobody is signed in, and for a wrong token. */
const signedOut = /status of 401 .*\/v1\/(whoami|session)$/;

export async function openPage(
  browser: Browser,
  origin: string,
  options: BrowserContextOptions = {},
): Promise<Watched> {
  const expected = [signedOut];
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  const complaints: string[] = [];
  page.on('pageerror', ({ message }) => complaints.push(`exception: ${message}`));
  page.on('console', (message) => {
    const text = `${message.text()} at ${message.location().url}`;
    const isError = message.type() === 'error' && !expected.some((one) => one.test(text));
    if (isError || text.includes('Content Security Policy')) complaints.push(text);
  });
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== origin) complaints.push(`request to ${request.url()}`);
  });
  return { page, complaints, expect: (error) => void expected.push(error) };
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The rules of the console that axe does not know. */
export const ownFindings = (page: Page): Promise<readonly string[]> =>
  page.evaluate(() => {
    const found = [...document.querySelectorAll(':is([role=status], [role=alert]) time')].map(
      ({ textContent }) => `a live region reads a time at each tick: ${textContent}`,
    );
    for (const { firstElementChild: first, className } of document.querySelectorAll('table'))
      if (first?.tagName !== 'CAPTION' || first.textContent === '')
        found.push(`a table begins without its caption: ${className}`);
    const titles = [...document.querySelectorAll('h1')].map(({ textContent }) => textContent);
    if (titles.length !== 1 || titles[0]?.trim() === '') found.push(`the screen has not one title: ${titles}`);
    for (const { textContent, outerHTML, ariaLabel } of document.querySelectorAll('a, button'))
      if (textContent?.trim() === '' && ariaLabel === null) found.push(`a link or button has no name: ${outerHTML}`);
    return found;
  });

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
