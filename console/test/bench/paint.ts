import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Browser, Page } from 'playwright-core';
import type { ConsoleWorld } from '../../../bench/console/estate.ts';
import type { Figure } from '../../../bench/figure.ts';
import { blankPage, middleOf, rounded } from './console-page.ts';

const [rounds, loads] = [3, 5];

/** The useful part of each screen: a row of the inventory, the verdict of the overview. */
const screens = [
  { name: 'inventory', path: '/inventory', shown: 'tbody .line' },
  { name: 'overview', path: '/', shown: '.headline-text' },
] as const;

/** `shown`: the selector of its useful part. */
interface Screen {
  readonly path: string;
  readonly shown: string;
}

/**
 * From the start of the navigation until the first row or the verdict is painted, with an empty cache: the median of five loads in the
 * quietest of three rounds, of the slower screen. Floor: a static page with the same bytes, whose script adds one row and does nothing else.
 */
export async function paint(browser: Browser, { api }: Pick<ConsoleWorld, 'api'>): Promise<readonly Figure[]> {
  const found: Measured[] = [];
  for (const screen of screens) found.push(await measure(browser, api, screen));
  const slowest = found.toSorted((a, b) => b.ms - a.ms)[0];
  if (slowest === undefined) throw new Error('there is no screen');
  return [
    {
      ...{ name: 'console-paint', value: rounded(slowest.ms), unit: 'ms' },
      ...{ floor: rounded(slowest.floor), ratio: rounded(slowest.ms / slowest.floor) },
      evidence: found.map(({ said }) => said),
    },
  ];
}

interface Measured {
  readonly ms: number;
  readonly floor: number;
  readonly said: string;
}

async function measure(
  browser: Browser,
  api: ConsoleWorld['api'],
  screen: (typeof screens)[number],
): Promise<Measured> {
  const open = async (): Promise<Page> => (await blankPage(browser, api)).page;
  // why: the first load fills the caches of the database and of the API
  const { bytes } = await load(await open(), api.url, screen);
  const still = await staticPage(bytes);
  try {
    const found: Measured[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const [all, floors]: [Loaded[], Loaded[]] = [[], []];
      for (let at = 0; at < loads; at += 1) {
        all.push(await load(await open(), api.url, screen));
        floors.push(await load(await (await browser.newContext()).newPage(), still.url, still));
      }
      found.push(measuredOf(screen.name, all, floors));
    }
    return quietest(found);
  } finally {
    await still.close();
  }
}

/** Other work on the machine only ever slows a round. */
const quietest = (all: readonly Measured[]): Measured => all.reduce((best, one) => (one.ms < best.ms ? one : best));

function measuredOf(name: string, all: readonly Loaded[], floors: readonly Loaded[]): Measured {
  const [ms, floor] = [middleOf(all.map((one) => one.ms)), middleOf(floors.map((one) => one.ms))];
  const part = (of: keyof Loaded['parts']): number => rounded(middleOf(all.map(({ parts }) => parts[of])));
  const most = rounded(Math.max(...all.map((one) => one.ms)));
  const said =
    `${name}: ${rounded(ms)} ms, at most ${most}; static page ${rounded(floor)} ms; page and script there after ` +
    `${part('scripts')} ms, first question asked after ${part('asked')} ms, the last answer there after ${part('answered')} ms`;
  return { ms, floor, said };
}

interface Loaded {
  readonly ms: number;
  /** Ms from the start: the scripts are there; the first question to the API but that for the identity; the last answer before the paint. */
  readonly parts: Readonly<Record<'scripts' | 'asked' | 'answered', number>>;
  readonly bytes: Bytes;
}

/** As sent, by what it is. */
interface Bytes {
  readonly page: number;
  readonly script: number;
  readonly style: number;
  readonly answers: number;
}

/** Loads a page of its own context, and closes that. */
async function load(page: Page, origin: string, { path, shown }: Screen): Promise<Loaded> {
  try {
    await page.addInitScript(watchPaint, shown);
    await page.goto(`${origin}${path}`, { waitUntil: 'commit' });
    const ms = Number(await (await page.waitForFunction(() => Reflect.get(window, 'paintedAt'))).jsonValue());
    return { ms, ...(await page.evaluate(partsOf, ms)) };
  } finally {
    await page.context().close();
  }
}

/** In the page. */
function watchPaint(selector: string): void {
  const observer = new MutationObserver(() => {
    if (document.querySelector(selector) === null) return;
    observer.disconnect();
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => Reflect.set(window, 'paintedAt', performance.now());
    // why: the first task after a frame runs when the frame is painted
    requestAnimationFrame(() => port2.postMessage(0));
  });
  observer.observe(document, { childList: true, subtree: true });
}

/** In the page. */
function partsOf(until: number): Pick<Loaded, 'parts' | 'bytes'> {
  // why: entries of this type are of this interface
  const files = performance.getEntriesByType('resource') as PerformanceResourceTiming[];
  const [page] = performance.getEntriesByType('navigation') as PerformanceResourceTiming[];
  const sum = (some: readonly PerformanceResourceTiming[]): number =>
    some.reduce((all, { encodedBodySize }) => all + encodedBodySize, 0);
  const scripts = files.filter(({ name }) => name.endsWith('.js'));
  const answers = files.filter(({ initiatorType, responseEnd }) => initiatorType === 'fetch' && responseEnd < until);
  const asked = answers.filter(({ name }) => !name.endsWith('/whoami')).map(({ startTime }) => startTime);
  return {
    parts: {
      scripts: Math.max(0, ...scripts.filter((one) => one.responseEnd < until).map((one) => one.responseEnd)),
      asked: Math.min(until, ...asked),
      answered: Math.max(0, ...answers.map(({ responseEnd }) => responseEnd)),
    },
    bytes: {
      page: sum(page === undefined ? [] : [page]),
      script: sum(scripts),
      style: sum(files.filter(({ name }) => name.endsWith('.css'))),
      answers: sum(answers),
    },
  };
}

interface StaticPage extends Screen {
  readonly url: string;
  close(): Promise<void>;
}

/** Nothing in it can be compressed, so it sends as many bytes as it holds. */
async function staticPage(bytes: Bytes): Promise<StaticPage> {
  const script =
    "fetch('/answers').then((a) => a.text()).then(() => { document.body.innerHTML = '<p id=row>row</p>'; }); //";
  const head = '<!doctype html><link rel=stylesheet href=/style.css><body><script type=module src=/script.js></script>';
  const files: Readonly<Record<string, readonly [type: string, body: string]>> = {
    '/': ['text/html', filled(`${head}<!--`, bytes.page, '-->')],
    '/script.js': ['text/javascript', filled(script, bytes.script)],
    '/style.css': ['text/css', filled('/*', bytes.style, '*/')],
    '/answers': ['text/plain', filled('', bytes.answers)],
  };
  const server = createServer(({ url = '/' }, answer) => {
    const [type, body] = files[url] ?? ['text/plain', ''];
    answer.writeHead(200, { 'content-type': type }).end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return {
    ...{ url: `http://127.0.0.1:${address.port}`, path: '/', shown: '#row' },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function filled(begin: string, length: number, end = ''): string {
  const left = Math.max(0, length - begin.length - end.length);
  return begin + randomBytes(left).toString('hex').slice(0, left) + end;
}
