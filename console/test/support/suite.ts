import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { setImmediate as breath } from 'node:timers/promises';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { findings, noBrowser, openBrowser, openPage, ownFindings, type Watched } from './browser.ts';
import { type Estate, openEstate } from './estate.ts';
import { type Gateway, openGateway } from './gateway.ts';

if (noBrowser !== false) process.stderr.write(`${noBrowser}\n`);

/** Over `setpoint serve` and the sandbox. */
export const inBrowser = { skip: noBrowser, timeout: 120_000 };

let [browser, estate, gateway]: [Browser?, Estate?, Gateway?] = [];

export const all = () => {
  if (browser === undefined || estate === undefined || gateway === undefined) throw new Error('it did not start');
  return { browser, estate, gateway };
};

let open: () => Promise<Estate> = openEstate;

/** At the beginning of a file: its tests are over this estate. */
export const over = (opening: () => Promise<Estate>): void => {
  open = opening;
};

/** Each file of tests has an estate of its own. */
before(async () => {
  if (noBrowser !== false) return;
  // why: it begins with the import of this file, and the file of tests names its estate after that
  await breath();
  estate = await open();
  gateway = await openGateway(estate.url);
  browser = await openBrowser();
});
after(async () => {
  await browser?.close();
  await gateway?.close();
  await estate?.close();
});

export const blankPage = (options?: BrowserContextOptions): Promise<Watched> =>
  openPage(all().browser, all().gateway.url, options);

/** Signed in by keys alone, as an admin unless another token is given. */
export async function signedIn(path = '/', options: BrowserContextOptions & { readonly token?: string } = {}) {
  const { token = all().estate.token, ...around } = options;
  const watched = await blankPage(around);
  await watched.page.goto(`${all().gateway.url}${path}`);
  await watched.page.locator('#token').waitFor();
  await watched.page.keyboard.type(token);
  await watched.page.keyboard.press('Enter');
  await watched.page.locator('header.top').waitFor();
  return watched;
}

export async function assertNoViolations({ page, complaints }: Watched): Promise<void> {
  assert.deepEqual(await findings(page), [], 'axe finds nothing above minor');
  assert.deepEqual(await ownFindings(page), []);
  assert.deepEqual(complaints, [], 'no exception, no error, no violation of the policy, no request to elsewhere');
  assert.equal(await overflow(page), 0, 'nothing is wider than the page');
}

/** The end of each test. */
export async function leave({ page, complaints }: Watched): Promise<void> {
  // why: without its routes, a page that still loads asks the API for cursors that a test made up
  const found = [...complaints];
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.context().close();
  assert.deepEqual(found, [], 'no exception, no error, no violation of the policy, no request to elsewhere');
}

const overflow = (page: Page): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
