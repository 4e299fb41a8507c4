import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { type ConsoleWorld, estate } from '../../../bench/console/estate.ts';
import { hostileCount, hostileRows } from '../../../bench/console/hostile-rows.ts';
import type { Figure } from '../../../bench/figure.ts';
import { blankPage } from './console-page.ts';

/** An admin reads them on a desk and on a phone. */
const forms: readonly BrowserContextOptions[] = [{}, { viewport: { width: 390, height: 844 } }];

/** Each text has a page of its own; as many of them are opened, of each seed one. */
const opened = 25;

/**
 * 200 hostile texts in names, tags, owners, messages, makers, reasons of people and commit subjects: how many of them run, load, or break the
 * layout of a screen, on a desk and on a phone; and one more where the page's policy is missing or has `unsafe-`.
 */
export async function hostile(browser: Browser, { api }: Pick<ConsoleWorld, 'api'>): Promise<readonly Figure[]> {
  const found: string[] = [...(await policyTrouble(api.url))];
  let shown = 0;
  for (const form of forms) {
    const watched = await blankPage(browser, api, form);
    const { page } = watched;
    // why: only a resource of a document has one
    watched.expect(/status of 404 .*\/v1\/explanations\//);
    page.on('dialog', (dialog) => {
      found.push(`a dialog opened: ${dialog.message()}`);
      void dialog.dismiss();
    });
    try {
      shown += await tryInventory(page, api.url, found);
      for (const path of [
        '/',
        '/ledger',
        '/fleet',
        '/drift',
        '/map',
        '/inventory?group=owner',
        '/inventory?group=origin',
      ])
        found.push(...(await tryScreen(page, `${api.url}${path}`)));
      for (const { called } of hostileRows.slice(0, opened))
        found.push(
          ...(await tryScreen(page, `${api.url}/resource?${new URLSearchParams({ estate, of: called.id ?? '' })}`)),
        );
      found.push(...watched.complaints);
    } finally {
      await page.context().close();
    }
  }
  if (shown !== forms.length * hostileCount)
    throw new Error(`${shown} rows were shown, and not each of ${hostileCount}`);
  return [
    {
      name: 'console-hostile',
      value: found.length,
      unit: 'texts executed or layouts broken',
      evidence: found.slice(0, 20),
    },
  ];
}

async function policyTrouble(url: string): Promise<readonly string[]> {
  const { headers } = await fetch(`${url}/inventory`, { headers: { accept: 'text/html' } });
  const policy = headers.get('content-security-policy') ?? '';
  const isStrict = policy.includes("default-src 'none'") && !policy.includes('unsafe-');
  return isStrict ? [] : [`the policy is not strict: ${policy}`];
}

/** Scrolls through all rows, and returns the number of those that it saw. */
async function tryInventory(page: Page, url: string, found: string[]): Promise<number> {
  await page.goto(`${url}/inventory?kind=network`);
  await page.locator('tbody .line').first().waitFor();
  const seen = new Set<string>();
  for (let idle = 0; idle < 5; ) {
    const { ids, troubles } = await page.evaluate(troubledRows);
    const before = seen.size;
    for (const id of ids) seen.add(id);
    found.push(...troubles);
    idle = seen.size === before ? idle + 1 : 0;
    await page.mouse.wheel(0, 500);
    await page.waitForTimeout(60);
  }
  found.push(...(await page.evaluate(troublesOf)));
  return seen.size;
}

async function tryScreen(page: Page, address: string): Promise<readonly string[]> {
  await page.goto(address);
  await page.locator('header.top').waitFor();
  await page.waitForLoadState('domcontentloaded');
  // why: each screen shows lines in place of what it waits for
  await page.waitForFunction(() => document.querySelector('[aria-busy=true], .loading') === null);
  await page.waitForTimeout(300);
  return page.evaluate(troublesOf);
}

/** In the page: rows that are taller, wider or elsewhere than a row is. */
function troubledRows(): { readonly ids: readonly string[]; readonly troubles: readonly string[] } {
  const rows = [...document.querySelectorAll('tbody .line')];
  const height = window.matchMedia('(max-width: 800px)').matches ? 76 : 32;
  const troubles = rows.flatMap((row) => {
    const box = row.getBoundingClientRect();
    const isWhole = Math.abs(box.height - height) <= 1 && box.left >= 0 && box.right <= window.innerWidth;
    const inside = [...row.children].every((cell) => {
      const { left, right, width } = cell.getBoundingClientRect();
      return width === 0 || (left >= box.left - 1 && right <= box.right + 1);
    });
    const name = row.querySelector('a')?.textContent ?? '';
    return isWhole && inside ? [] : [`a row is ${box.width} by ${box.height}: ${JSON.stringify(name)}`];
  });
  const ids = rows.map(
    (row) => new URL(row.querySelector('a')?.href ?? '', location.href).searchParams.get('of') ?? '',
  );
  return { ids, troubles };
}

/** In the page: what ran, what came into it, and whether it is wider than the window. */
export function troublesOf(): readonly string[] {
  const inserted = document.querySelectorAll(
    '#root :is(img, iframe, object, embed, script, style, base, meta, link, [onload], [onerror], [onmouseover], [onfocus], [srcdoc])',
  );
  const addresses = [...document.querySelectorAll('#root :is([href], [action], [src])')].filter((one) =>
    /^\s*(?:javascript:|data:|\/\/)/i.test(
      ['href', 'action', 'src'].map((name) => one.getAttribute(name) ?? '').join(''),
    ),
  );
  const { scrollWidth, clientWidth } = document.documentElement;
  const at = location.pathname + location.search;
  return [
    ...('hostile' in window ? [`${at}: a text ran`] : []),
    ...[...inserted, ...addresses].map((one) => `${at}: it became an element: ${one.outerHTML.slice(0, 200)}`),
    ...(scrollWidth > clientWidth ? [`${at}: it is ${scrollWidth - clientWidth} px wider than the window`] : []),
    ...(document.querySelector('h1') === null ? [`${at}: its title is gone`] : []),
  ];
}
