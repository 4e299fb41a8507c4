import type { Browser, CDPSession, Page } from 'playwright-core';
import type { ConsoleWorld } from '../../../bench/console/estate.ts';
import type { Figure } from '../../../bench/figure.ts';
import { blankPage, rounded } from './console-page.ts';

/** Pixels of one turn of the wheel: a screen, as the page keys go. */
const turn = 800;

/** No row came for so long: the API does not answer. */
const patienceMs = 60_000;

/**
 * Scrolls an inventory of 100,000 rows from the first to the last, page after page, and returns the longest task of the page's main thread, in
 * ms of its processor time: other work on the machine does not count. Chromium's own trace measures it.
 */
export async function frame(
  browser: Browser,
  { api }: Pick<ConsoleWorld, 'api'>,
  count: number,
): Promise<readonly Figure[]> {
  const { page } = await blankPage(browser, api);
  try {
    await page.goto(`${api.url}/inventory`);
    await page.locator('.live-live').waitFor();
    await page.locator('tbody .line').first().waitFor();
    await page.waitForTimeout(1_000);
    const cdp = await page.context().newCDPSession(page);
    const trace = await startTrace(cdp);
    const from = performance.now();
    const reached = await scrollTo(page, count);
    const seconds = (performance.now() - from) / 1000;
    const tasks = (await trace.end()).toSorted((a, b) => b - a);
    if (tasks.length < 1000) throw new Error(`the trace has ${tasks.length} tasks: it did not measure`);
    const over = tasks.filter((ms) => ms > 50).length;
    return [
      {
        ...{ name: 'console-frame', value: rounded(tasks[0] ?? Number.NaN), unit: 'ms of CPU' },
        evidence: [
          `${reached} rows in ${rounded(seconds)} s: ${tasks.length} tasks, ${over} over 50 ms; the longest ${tasks.slice(0, 10).map(rounded).join(', ')}`,
        ],
      },
    ];
  } finally {
    await page.context().close();
  }
}

/** Turns the wheel until the last row is there. Returns the number of the last row in the page. */
async function scrollTo(page: Page, count: number): Promise<number> {
  await page.mouse.move(640, 600);
  let [reached, since] = [0, performance.now()];
  while (reached < count && performance.now() - since < patienceMs) {
    await page.mouse.wheel(0, turn);
    const last = Number(await page.locator('tbody .line').last().getAttribute('aria-rowindex')) - 1;
    if (last > reached) [reached, since] = [last, performance.now()];
  }
  if (reached < count) throw new Error(`the scrolling ended at row ${reached} of ${count}`);
  return reached;
}

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

interface Trace {
  /** Ms of processor time of each task of the main threads of pages. */
  end(): Promise<readonly number[]>;
}

async function startTrace(cdp: CDPSession): Promise<Trace> {
  const events: TraceEvent[] = [];
  cdp.on('Tracing.dataCollected', ({ value }) => {
    // why: the protocol declares no fields of an event
    for (const event of value as unknown as readonly TraceEvent[])
      if (event.name === 'thread_name' || event.name === 'ThreadControllerImpl::RunTask') events.push(event);
  });
  const done = Promise.withResolvers<void>();
  cdp.on('Tracing.tracingComplete', () => done.resolve());
  const includedCategories = ['toplevel', '__metadata'];
  await cdp.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { recordMode: 'recordContinuously', includedCategories, excludedCategories: ['*'] },
  });
  return {
    end: async () => {
      await cdp.send('Tracing.end');
      await done.promise;
      const isMain = ({ name, args }: TraceEvent): boolean => name === 'thread_name' && args?.name === 'CrRendererMain';
      const mains = new Set(events.filter(isMain).map(({ pid, tid }) => `${pid} ${tid}`));
      return events.flatMap(({ pid, tid, tdur }) =>
        tdur !== undefined && mains.has(`${pid} ${tid}`) ? [tdur / 1000] : [],
      );
    },
  };
}
