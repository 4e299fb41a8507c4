import type { Browser, Page } from 'playwright-core';
import { type ConsoleWorld, estate } from '../../../bench/console/estate.ts';
import { type Figure, p95 } from '../../../bench/figure.ts';
import type { Row } from '../../../src/core/inventory/row.ts';
import { blankPage, middleOf, rounded } from './console-page.ts';

const changes = 20;

/**
 * From the commit of a changed resource to its row in an open inventory, p95 of twenty, one after the other. The transaction has committed
 * before `keep` returns, so the time begins a moment late by the way of its answer.
 */
export async function live(
  browser: Browser,
  { api, store }: Pick<ConsoleWorld, 'api' | 'store'>,
  rows: ReadonlyMap<string, readonly Row[]>,
): Promise<readonly Figure[]> {
  const { page } = await blankPage(browser, api);
  try {
    await page.goto(`${api.url}/inventory`);
    await page.locator('.live-live').waitFor();
    const first = page.locator('tbody .line a').first();
    const name = await first.innerText();
    const [scope = '', each = []] = [...rows].find(([, all]) => all.some(({ called }) => called.name === name)) ?? [];
    const took: Took[] = [];
    for (let at = 0; at < changes; at += 1) {
      const reason = `changed for the ${at}th time`;
      const changed = each.map((row) => (row.called.name === name ? { ...row, state: { ...row.state, reason } } : row));
      const shown = shownAt(page, reason);
      await store.rows.keep({ estate, scope }, { at: Date.now(), rows: changed, gaps: [] });
      const committed = Date.now();
      took.push(partsOf(await shown, committed));
      await page.waitForTimeout(700 + 37 * at);
    }
    const part = (of: keyof Took): string =>
      `${of} ${rounded(middleOf(took.map((one) => one[of])))}, p95 ${rounded(p95(took.map((one) => one[of])))}`;
    return [
      {
        ...{ name: 'console-live', value: rounded(p95(took.map(({ row }) => row))), unit: `ms, p95 of ${changes}` },
        evidence: [`ms from the commit until: ${part('asked')}; ${part('answered')}; ${part('row')}`],
      },
    ];
  } finally {
    await page.context().close();
  }
}

/** Ms from the commit: the console asks for the rows, has the answer, and shows the row. */
interface Took {
  readonly asked: number;
  readonly answered: number;
  readonly row: number;
}

const partsOf = ({ asked, answered, row }: Took, committed: number): Took => ({
  asked: asked - committed,
  answered: answered - committed,
  row: row - committed,
});

/** Waits in the page until a row says so. By the clock of the machine, ms since the epoch. */
const shownAt = (page: Page, reason: string): Promise<Took> =>
  page.evaluate(
    (text) =>
      new Promise<Took>((resolve) => {
        performance.clearResourceTimings();
        const seen = (): void => {
          if (![...document.querySelectorAll('tbody .cell-reason')].some((one) => one.textContent === text)) return;
          observer.disconnect();
          requestAnimationFrame(() => {
            const row = Date.now();
            // why: entries of this type are of this interface
            const all = performance.getEntriesByType('resource') as PerformanceResourceTiming[];
            const last = all.findLast(({ name }) => name.includes('/v1/inventory?limit=200'));
            const { startTime = Number.NaN, responseEnd = Number.NaN } = last ?? {};
            const { timeOrigin } = performance;
            resolve({ asked: timeOrigin + startTime, answered: timeOrigin + responseEnd, row });
          });
        };
        const observer = new MutationObserver(seen);
        observer.observe(document.body, { childList: true, subtree: true, characterData: true });
      }),
    reason,
  );
