import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import type { Page, Route } from 'playwright-core';
import { all, assertNoViolations, inBrowser, leave, signedIn } from './support/suite.ts';

afterEach(() => {
  if (inBrowser.skip === false) all().gateway.mend();
});

test('live: a change of the cloud shows without a reload; a lost connection is said, and ends', inBrowser, async () => {
  const { estate: place, gateway: gate } = all();
  const watched = await signedIn('/inventory?q=instance/web-0');
  const { page } = watched;
  watched.expect(/net::ERR_/);
  await page.getByRole('link', { name: 'web-0' }).press('Enter');
  await page.locator('.differs').waitFor();
  await page.locator('.live-live').waitFor();
  await place.tag('toms-second');
  await place.reconcile();
  await page.getByText('toms-second').first().waitFor({ timeout: 20_000 });

  gate.cut();
  await page.getByText('Connection lost.').waitFor();
  assert.match(await page.locator('.live').innerText(), /Not live/);
  assert.match(await page.locator('.sides').innerText(), /toms-second/, 'what was known stays');
  await assertNoViolations(watched);
  gate.mend();
  await page.getByText('Connection lost.').waitFor({ state: 'detached', timeout: 30_000 });
  await page.locator('.live-live').waitFor();
  await leave(watched);
});

test('live: the browser is online again: one stream opens, and the pending retry opens none', inBrowser, async () => {
  const { gateway: gate } = all();
  const watched = await signedIn();
  const { page } = watched;
  watched.expect(/net::ERR_|status of 503 .*\/v1\/events/);
  await page.clock.install();
  await page.goto(gate.url);
  await page.locator('.live-live').waitFor();
  gate.refuse('/v1/events', 503);
  gate.drop();
  await page.getByText('Connection lost.').waitFor();
  gate.refuse('/v1/events', undefined);
  const before = gate.count('/v1/events');
  await page.evaluate(() => window.dispatchEvent(new Event('online')));
  await page.locator('.live-live').waitFor();
  await page.clock.fastForward(60_000);
  // why: a question of the page that comes after a second stream would
  const asked = gate.count('/v1/whoami');
  await page.evaluate(() => fetch('/v1/whoami'));
  assert.ok(gate.count('/v1/whoami') > asked);
  assert.equal(gate.count('/v1/events') - before, 1);
  await leave(watched);
});

test('session: a 401 of the event stream ends it in words; a sign-out says nothing of an end', inBrowser, async () => {
  const { gateway: gate } = all();
  const watched = await signedIn();
  const { page } = watched;
  watched.expect(/net::ERR_|status of (401|500) /);
  await page.locator('.live-live').waitFor();
  for (const path of ['/v1/events', '/v1/whoami']) gate.refuse(path, 401);
  gate.drop();
  await page.getByText('Your session ended. Sign in again.').waitFor();
  for (const path of ['/v1/events', '/v1/whoami']) gate.refuse(path, undefined);
  await page.keyboard.type(all().estate.token);
  await page.keyboard.press('Enter');
  await page.locator('header.top').waitFor();

  gate.refuse('/v1/session', 401);
  await page.getByRole('button', { name: /Account/ }).press('Enter');
  await page.getByRole('button', { name: 'Sign out' }).press('Enter');
  await page.getByText('You are still signed in. Refused with 401. The test asked for this').waitFor();
  gate.refuse('/v1/session', undefined);
  await page.getByRole('button', { name: 'Sign out' }).press('Enter');
  await page.locator('#token').waitFor();
  assert.equal(await page.getByText('Your session ended').count(), 0);
  await leave(watched);
});

test('states: loading, failing and forbidden are said in words', inBrowser, async () => {
  const { gateway: gate } = all();
  const watched = await signedIn();
  const { page } = watched;
  watched.expect(/status of (400|403|404|500) /);
  gate.refuse('/v1/inventory', 403);
  await page.goto(`${gate.url}/inventory`);
  await page.getByText('You may not see the inventory').waitFor();
  await assertNoViolations(watched);
  gate.refuse('/v1/inventory', undefined);
  gate.refuse('/v1/targets', 500);
  const before = gate.count('/v1/targets');
  await page.goto(gate.url);
  await page.getByText('Refused with 500').waitFor();
  // why: each of two questions is repeated twice: that of the screen, and the one when the stream opens
  while (gate.count('/v1/targets') < before + 6) await page.waitForTimeout(50);
  gate.refuse('/v1/targets', undefined);
  await page.getByRole('button', { name: 'Try again' }).press('Enter');
  await page.locator('.headline').waitFor();
  const release = gate.hold('/v1/inventory/instance%2Fno-such');
  await page.goto(`${gate.url}/resource?of=instance/no-such`);
  await page.getByText('Loading this resource').waitFor({ state: 'attached' });
  release();
  await page.getByText('There is no such thing, or you may not see it').waitFor();
  await page.goto(`${gate.url}/no/such/page`);
  await page.getByText('The console has no page at this address').waitFor();
  await assertNoViolations(watched);
  await leave(watched);
});

test(
  'states: a failed newest request leaves the earlier answer, says its age, and goes by itself',
  inBrowser,
  async () => {
    const { gateway: gate, estate: place } = all();
    const watched = await signedIn();
    const { page } = watched;
    watched.expect(/status of (400|403) /);
    await page.locator('.targets').waitFor();
    await page.locator('.live-live').waitFor();
    gate.refuse('/v1/targets', 400);
    await place.reconcile();
    await page.getByText('The newest request for the targets failed: Refused with 400').waitFor();
    await page.getByText('The data below is from').waitFor();
    assert.match(await page.locator('.targets').innerText(), /aws/);
    await assertNoViolations(watched);
    gate.refuse('/v1/targets', 403);
    await page.getByRole('button', { name: 'Try again' }).press('Enter');
    await page.getByText('You may not see the targets').waitFor();
    assert.equal(await page.locator('.targets').count(), 0, 'the grants have shrunk');
    gate.refuse('/v1/targets', undefined);
    await page.getByRole('button', { name: 'Try again' }).press('Enter');
    await page.locator('.targets').waitFor();
    assert.equal(await page.getByText('The newest request').count(), 0);
    await leave(watched);
  },
);

test('overview: before the approvals are known it does not say that all is well', inBrowser, async () => {
  const { gateway: gate } = all();
  const watched = await signedIn();
  const { page } = watched;
  await page.route('**/v1/targets*', async (asked) => {
    const answer = await asked.fetch();
    const { items, ...rest } = await answer.json();
    const calm = items.map((one: object) => ({ ...one, counts: { InSync: 3 }, held: undefined }));
    await asked.fulfill({ json: { ...rest, items: calm } });
  });
  const release = gate.hold('/v1/approvals');
  await page.goto(gate.url);
  await page.getByText('No concern on 1 target so far; pending approvals are not known').waitFor();
  release();
  await page.locator('.headline-text', { hasText: '1 action waits for an approval' }).waitFor();
  await leave(watched);
});

test('estate: it is chosen once on any screen, and all links keep it', inBrowser, async () => {
  const { gateway: gate } = all();
  const watched = await signedIn();
  const { page } = watched;
  watched.expect(/status of (400|404) /);
  await page.route('**/v1/whoami', async (asked) => {
    const answer = await asked.fetch();
    await asked.fulfill({ json: { ...(await answer.json()), estates: ['acme', 'globex'] } });
  });
  const estates = page.getByRole('combobox', { name: 'Estate' });
  for (const path of ['/', '/drift', '/map', '/ledger', '/fleet']) {
    await page.goto(`${gate.url}${path}`);
    await page.getByRole('heading', { name: 'Choose an estate' }).waitFor();
    assert.equal(await estates.inputValue(), '');
  }
  await assertNoViolations(watched);
  await page.getByRole('link', { name: 'acme', exact: true }).press('Enter');
  await page.waitForURL(/\/fleet\?estate=acme$/);
  await page.getByRole('table', { name: 'Work', exact: true }).waitFor();
  assert.equal(await estates.inputValue(), 'acme');
  await page.setViewportSize({ width: 390, height: 844 });
  await assertNoViolations(watched);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByRole('link', { name: 'Inventory', exact: true }).press('Enter');
  await page.waitForURL(/\/inventory\?estate=acme/);
  await page.getByRole('combobox', { name: 'Target' }).waitFor();
  await page.getByRole('link', { name: 'web-0' }).press('Enter');
  await page.locator('.sides').waitFor();
  for (const link of await page.locator('.crumbs a, header.top a').all())
    assert.match((await link.getAttribute('href')) ?? '', /estate=acme/);
  await estates.selectOption('globex');
  await page.waitForURL(/\/inventory\?estate=globex$/);
  await page.getByText('There is no such thing, or you may not see it').first().waitFor();
  await estates.selectOption('All estates');
  await page.waitForURL(/\/inventory$/);
  await page.getByRole('link', { name: 'web-0' }).waitFor();
  await page.goto(`${gate.url}/ledger?estate=acme&type=note`);
  await estates.selectOption('globex');
  await page.waitForURL(/\/ledger\?estate=globex$/);
  await leave(watched);
});

test('estate: of a person with one estate nobody asks for it', inBrowser, async () => {
  const watched = await signedIn('/ledger');
  const { page } = watched;
  await page.getByRole('heading', { name: 'Ledger' }).waitFor();
  assert.equal(await page.getByRole('combobox', { name: 'Estate' }).count(), 0);
  await leave(watched);
});

test('estate: without one, the filter of the target is a text', inBrowser, async () => {
  const { gateway: gate } = all();
  const watched = await signedIn();
  const { page } = watched;
  watched.expect(/status of 400 /);
  await page.route('**/v1/targets', (asked) => asked.fulfill({ status: 400, json: severalEstates }));
  await page.goto(`${gate.url}/inventory?target=aws`);
  const target = page.getByRole('searchbox', { name: 'Target' });
  await target.waitFor();
  assert.equal(await target.inputValue(), 'aws');
  await leave(watched);
});

test('grants: a viewer of one owner sees the resources of this owner alone', inBrowser, async () => {
  const token = await all().estate.tokenOf('viewer', '--owner', 'team-net');
  const watched = await signedIn('/inventory', { token });
  const { page } = watched;
  await page.locator('tbody .line').first().waitFor();
  const names = await page.locator('tbody .cell-name').allInnerTexts();
  assert.ok(!names.includes('web-0'), `${names}`);
  await page.goto(all().gateway.url);
  await page.locator('.targets').waitFor();
  await assertNoViolations(watched);
  await leave(watched);
});

test('filters: text stays as typed, and cleared text does not come back', inBrowser, async () => {
  const watched = await signedIn();
  const { page } = watched;
  await page.clock.install();
  await page.goto(`${all().gateway.url}/inventory?kind=instance`);
  const search = page.getByRole('searchbox', { name: 'Search' });
  await search.focus();
  await page.keyboard.type('web ');
  await page.waitForURL(/q=web$/);
  await page.keyboard.type('0');
  assert.equal(await search.inputValue(), 'web 0', 'the space before the second word stays');
  await page.waitForURL(/q=web\+0$/);
  await page.goto(`${all().gateway.url}/inventory?kind=instance`);
  await page.locator('tbody .line').first().waitFor();
  await search.fill('zzz');
  await page.getByRole('button', { name: 'Clear' }).press('Enter');
  await page.waitForURL(/\/inventory$/);
  await page.clock.fastForward(5_000);
  await frames(page);
  assert.equal(new URL(page.url()).search, '');
  assert.equal(await search.inputValue(), '');
  await leave(watched);
});

test('inventory: no answer of an earlier filter stands under the next one', inBrowser, async () => {
  const { gateway: gate, estate: place } = all();
  const watched = await signedIn('/inventory?q=there-is-no-such-thing');
  watched.expect(/status of 403 /);
  const { page } = watched;
  await page.getByText('No resource matches').waitFor();
  await page.getByRole('button', { name: 'In sync 0' }).waitFor();
  let release = gate.hold('/v1/inventory');
  await page.getByRole('button', { name: 'Clear the filters' }).press('Enter');
  await page.getByText('Loading the inventory').waitFor({ state: 'attached' });
  assert.equal(await page.getByText('No resource matches').count(), 0);
  release();
  await page.getByRole('link', { name: 'web-0' }).waitFor();

  const size = page.locator('.title-row [role=status]');
  assert.match(await size.innerText(), /^\d+ resources$/);
  const releaseCounts = gate.hold('/v1/inventory-counts');
  release = gate.hold('/v1/inventory');
  await page.getByRole('searchbox', { name: 'Search' }).fill('web-0');
  await page.waitForURL(/q=web-0/);
  await page.locator('.rows.is-stale').waitFor();
  assert.equal(await size.innerText(), '');
  assert.equal(await page.locator('.status-filter .count.is-stale').count(), 10);
  await page.getByRole('combobox', { name: 'Origin' }).press('Enter');
  await page.getByText('Loading…', { exact: true }).waitFor();
  await page.keyboard.press('Escape');
  release();
  releaseCounts();
  await page.locator('.is-stale').first().waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'In sync 0' }).waitFor();
  gate.refuse('/v1/inventory-counts', 403);
  await place.tag(`toms-${Date.now()}`);
  await place.reconcile();
  await page.locator('.status-filter .count').first().waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'web-0' }).waitFor();
  await leave(watched);
});

test('inventory: no row is beneath what stands at the top when keys lead to it', inBrowser, async () => {
  const watched = await signedIn();
  const { page } = watched;
  await fakePages(page, { size: 60, pages: 1 });
  await page.goto(`${all().gateway.url}/inventory`);
  await page.locator('tbody a[tabindex="0"]').press('End');
  await page.waitForFunction(() => document.activeElement?.getAttribute('data-row') === '59');
  for (let row = 58; row >= 0; row -= 1) {
    await page.keyboard.press('k');
    await page.waitForFunction((at) => document.activeElement?.getAttribute('data-row') === at, `${row}`);
    const [top, head] = await page.evaluate(() =>
      [document.activeElement, document.querySelector('.rows thead')].map((one) => {
        const { top: start = 0, bottom = 0 } = one?.getBoundingClientRect() ?? {};
        return one === document.activeElement ? start : bottom;
      }),
    );
    assert.ok((top ?? 0) >= (head ?? 0), `row ${row}: ${top} is beneath ${head}`);
  }
  await leave(watched);
});

test('inventory: a failed next page is asked for again by a person alone', inBrowser, async () => {
  const watched = await signedIn();
  const { page } = watched;
  watched.expect(/status of 400 /);
  const pages = await fakePages(page, { size: 30, pages: 3 });
  pages.isRefusing = true;
  await page.goto(`${all().gateway.url}/inventory`);
  await page.locator('.live-live').waitFor();
  await page.getByText('Refused by the test').waitFor();
  // why: the rows are asked for again when the stream opens, and the next page with them
  while (pages.asked.filter((after) => after === '1').length < 2) await page.waitForTimeout(50);
  await page.getByText('Refused by the test').waitFor();
  const asked = pages.asked.length;
  for (const key of ['Home', 'End']) {
    await page.keyboard.press(key);
    await frames(page);
  }
  assert.equal(pages.asked.length, asked);
  assert.equal(await page.getByText('The newest request').count(), 0, 'the loaded rows are not stale');
  await assertNoViolations(watched);
  pages.isRefusing = false;
  await page.getByRole('button', { name: 'Try again' }).press('Enter');
  await page.getByText('60 resources').waitFor();
  assert.equal(await page.getByText('Refused by the test').count(), 0);
  assert.equal(await page.getByRole('link', { name: 'i-nameless' }).count(), 1, 'without a name a link has the id');
  await leave(watched);
});

test('inventory: rows that load anew arrive, though the person scrolls on meanwhile', inBrowser, async () => {
  const { estate: place } = all();
  const watched = await signedIn();
  const { page } = watched;
  const pages = await fakePages(page, { size: 60, pages: 4 });
  await page.goto(`${all().gateway.url}/inventory`);
  await page.locator('.live-live').waitFor();
  await page.getByText('120 resources so far').waitFor();
  // why: a request can join a reconcile that has observed already
  const changeUntil = async (isSeen: () => Promise<boolean>): Promise<void> => {
    for (let turn = 0; !(await isSeen()); turn += 1) {
      if (turn % 100 === 0) await place.tag(`toms-${Date.now()}`).then(() => place.reconcile());
      await page.waitForTimeout(100);
    }
  };
  const cancelled: string[] = [];
  page.on('requestfailed', (request) => {
    if (request.url().includes('/v1/inventory?')) cancelled.push(request.url());
  });
  const wait = Promise.withResolvers<void>();
  [pages.wait, pages.word] = [wait.promise, 'changed'];
  const asked = pages.asked.length;
  await changeUntil(async () => pages.asked.length > asked);
  await page.keyboard.press('End');
  await page.waitForFunction(() => window.scrollY > 0);
  wait.resolve();
  while ((await page.getByText('240 resources').count()) === 0) await page.keyboard.press('End', { delay: 20 });
  await page.keyboard.press('Home');
  const first = page.getByRole('link', { name: 'changed--1', exact: true });
  await changeUntil(async () => (await first.count()) > 0);
  assert.equal(await page.getByRole('link', { name: /^made-/ }).count(), 0);
  assert.deepEqual(cancelled, []);
  await leave(watched);
});

test('inventory: a long list stays marked as outdated while it grows, until it is loaded anew', inBrowser, async () => {
  const { estate: place } = all();
  const watched = await signedIn();
  const { page } = watched;
  await fakePages(page, { size: 12, pages: 30 });
  await page.goto(`${all().gateway.url}/inventory`);
  await page.locator('.live-live').waitFor();
  await page.getByText(/(72|84|96) resources/).waitFor();
  await place.tag(`toms-${Date.now()}`);
  await place.reconcile();
  const show = page.getByRole('button', { name: 'Resources changed: show them' });
  await show.waitFor({ timeout: 20_000 });
  const before = await page.locator('.title-row [role=status]').innerText();
  await page.mouse.wheel(0, 3_000);
  await page.waitForFunction(
    (text) => document.querySelector('.title-row [role=status]')?.textContent !== text,
    before,
  );
  await page.getByText('Loading more').waitFor({ state: 'detached' });
  assert.equal(await show.count(), 1, 'the first rows are as old as before');
  await show.press('Enter');
  await show.waitFor({ state: 'detached' });
  await leave(watched);
});

test(
  'resource: a link at the same address has the id, and an empty page of the ledger proves nothing',
  inBrowser,
  async () => {
    const watched = await signedIn();
    const { page } = watched;
    const twin = { name: '', kind: 'instance', status: 'Orphan', address: machine, id: 'i-twin' };
    await page.route(/\/v1\/inventory\//, async (asked) => {
      const answer = await asked.fetch();
      const details = await answer.json();
      await asked.fulfill({ json: { ...details, relations: { ...details.relations, sameAddress: [twin] } } });
    });
    let next: string | undefined = '7';
    await page.route('**/v1/ledger?*', (asked) => asked.fulfill({ json: { estate: 'acme', items: [], next } }));
    await page.goto(`${all().gateway.url}/resource?of=${machine}`);
    const link = page.locator('.relations').getByRole('link', { name: machine });
    assert.match((await link.getAttribute('href')) ?? '', /of=i-twin$/);
    await page.getByText('No entry of the newest page names it.').waitFor();
    assert.equal(await page.getByText('never wrote it').count(), 0);
    next = undefined;
    await page.reload();
    await page.getByText('Setpoint never wrote it.').waitFor();
    await leave(watched);
  },
);

/** Two frames: an effect of the page has begun its requests by then. */
const frames = (page: Page): Promise<void> =>
  page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done()))));

const machine = 'aws/111122223333/eu-west-1/instance/web-0';

const severalEstates = {
  status: 400,
  title: 'Malformed request',
  detail: 'Mend it',
  errors: [{ in: 'query', at: 'estate', expected: 'the name of an estate, as you see more than one' }],
};

interface FakePages {
  /** The cursors of the requests until now; '' is the first page. */
  readonly asked: string[];
  /** Refuses every page but the first. */
  isRefusing: boolean;
  /** The names begin with it. */
  word: string;
  /** Each answer waits for it. */
  wait: Promise<void>;
}

/** Answers the inventory with many small pages, made of its first resource. The first one has no name. */
async function fakePages(
  page: Page,
  { size, pages }: { readonly size: number; readonly pages: number },
): Promise<FakePages> {
  const state: FakePages = { asked: [], isRefusing: false, word: 'made', wait: Promise.resolve() };
  await page.route('**/v1/inventory?*', async (asked: Route) => {
    const url = new URL(asked.request().url());
    const after = url.searchParams.get('after') ?? '';
    url.searchParams.delete('after');
    state.asked.push(after);
    if (state.isRefusing && after !== '')
      return asked.fulfill({ status: 400, json: { status: 400, title: 'Refused by the test', detail: 'Mend it' } });
    const { word, wait } = state;
    await wait;
    const answer = await asked.fetch({ url: url.href });
    const { items, ...rest } = await answer.json();
    const made = Array.from({ length: size }, (_, at) => ({
      ...items[0],
      id: `i-${after}-${at}`,
      name: `${word}-${after}-${at}`,
    }));
    if (after === '') made.splice(0, 1, { ...items[0], address: undefined, id: 'i-nameless', name: ' ' });
    const next = Number(after) + 1 < pages ? `${Number(after) + 1}` : undefined;
    return asked.fulfill({ json: { ...rest, items: made, next } });
  });
  return state;
}
