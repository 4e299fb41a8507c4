import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import type { Page } from 'playwright-core';
import type { Plan } from '../src/api.d.ts';
import { bob, type DriftedEstate, eve, openDriftedEstate } from './support/drifted.ts';
import { hostile } from './support/estate.ts';
import { all, assertNoViolations, inBrowser, leave, over, signedIn } from './support/suite.ts';

let drifted: DriftedEstate | undefined;

over(async () => {
  drifted = await openDriftedEstate();
  return drifted;
});
afterEach(() => {
  if (inBrowser.skip === false) all().gateway.mend();
});

const inbox = (path = '/drift', options: Parameters<typeof signedIn>[1] = {}) => signedIn(path, options);

/** The row of a resource, once it shows. */
async function rowOf(page: Page, name: string) {
  const row = page.locator('.drift-row', { has: page.locator('strong', { hasText: name }) }).first();
  await row.waitFor({ timeout: 60_000 });
  return row;
}

const port = 'edge.front.ingress.tcp.22';

test('drift: a port opened to the internet is first, with its author, its effect and its fate', inBrowser, async () => {
  const watched = await inbox();
  const { page } = watched;
  await rowOf(page, port);
  await rowOf(page, 'db-0');
  await page.locator('.nav-count').waitFor();
  const first = page.locator('.drift-row').first();
  assert.match(
    await first.innerText(),
    new RegExp(`${port}[\\s\\S]*Opened 22/tcp to the internet[\\s\\S]*Withheld: mode`),
  );
  const groups = await page.locator('.drift-group h2').allInnerTexts();
  assert.equal(groups[0], 'No document states it');
  assert.match(await page.locator('.drift-group').first().innerText(), new RegExp(bob));

  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  const detail = page.locator('.drift-detail').first();
  for (const said of [
    /Opened 22\/tcp to edge\.front \(1 machine\) from 0\.0\.0\.0\/0, the internet\s+1 of 1 exposed/,
    /match\.ports\s+22/,
    /user\/bob: AuthorizeSecurityGroupIngress/,
    /Its mode is plan: a person applies it/,
    /aws\/111122223333\/eu-west-1/,
  ])
    assert.match(await detail.innerText(), said);
  const closed = await rowOf(page, 'core.web.ingress.tcp.443');
  assert.match(await closed.innerText(), /Cut 443\/tcp/);
  const tagged = await rowOf(page, 'web-0');
  assert.match(await tagged.innerText(), /labels\.tier: web → eves/);
  await assertNoViolations(watched);
  await leave(watched);
});

test(
  'drift: keys move, open, group, filter and lead to the resource; the address holds it all',
  inBrowser,
  async () => {
    const watched = await inbox();
    const { page } = watched;
    await rowOf(page, port);
    assert.equal(await page.locator('.drift-line[tabindex="0"]').count(), 1, 'one row is in the tab order');
    await page.keyboard.press('j');
    const rows = await page.locator('.drift-line').count();
    for (const [key, row] of [
      ['End', rows - 1],
      ['k', rows - 2],
      ['PageUp', 0],
      ['PageDown', rows - 1],
      ['Home', 0],
    ] as const) {
      await page.keyboard.press(key);
      assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('data-row')), `${row}`, key);
    }
    await page.keyboard.press('Space');
    await page.locator('.drift-detail').waitFor();
    await page.waitForURL(/open=/);
    await page.keyboard.press('Escape');
    await page.locator('.drift-detail').waitFor({ state: 'detached' });
    await page.keyboard.press('Enter');
    await page.keyboard.press('g');
    await page.waitForURL(/group=author/);
    assert.deepEqual((await page.locator('.drift-group h2').allInnerTexts()).slice(0, 1), [bob]);
    await page.keyboard.press('/');
    await page.keyboard.type('labels.tier eve');
    await page.waitForURL(/q=labels/);
    await page.locator('strong', { hasText: port }).waitFor({ state: 'detached' });
    const address = page.url();
    await page.reload();
    await rowOf(page, 'web-0');
    assert.equal(page.url(), address);
    assert.equal(await page.locator('input[type=search]').inputValue(), 'labels.tier eve');
    assert.deepEqual(await page.locator('.drift-group h2').allInnerTexts(), [eve]);
    await page.keyboard.press('/');
    await page.keyboard.press('Escape');
    await rowOf(page, port);
    await page.locator('.drift-detail').waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('o');
    await page.waitForURL(/\/resource\?/);
    await page.locator('h1', { hasText: port }).waitFor();
    await leave(watched);
  },
);

test('drift: at 390 pixels, at 200 % zoom and in dark nothing is cut off', inBrowser, async () => {
  for (const options of [
    { viewport: { width: 390, height: 844 } },
    { viewport: { width: 640, height: 400 } },
    { colorScheme: 'dark' },
  ] as const) {
    const watched = await inbox('/drift?group=owner', options);
    await rowOf(watched.page, port);
    await watched.page.locator('.nav-count').waitFor();
    await watched.page.keyboard.press('j');
    await watched.page.keyboard.press('Enter');
    await watched.page.locator('.drift-detail').waitFor();
    await assertNoViolations(watched);
    await leave(watched);
  }
});

test('drift: a grant of one owner shows that owner alone, and says what is missing', inBrowser, async () => {
  const token = await all().estate.tokenOf('viewer', '--owner', 'team-front');
  const watched = await inbox('/drift', { token });
  const { page } = watched;
  await rowOf(page, 'front-0');
  await page.getByText('Effects on traffic need a grant for all of the estate').waitFor();
  const text = await page.locator('main').innerText();
  for (const hidden of ['web-0', 'db-0', port]) assert.ok(!text.includes(hidden), hidden);
  await assertNoViolations(watched);
  await leave(watched);
});

test('drift: loading, forbidden, failing, stale, empty and unknown are said in words', inBrowser, async () => {
  const { gateway: gate } = all();
  const watched = await inbox('/inventory');
  const { page } = watched;
  watched.expect(/status of (403|500) /);
  gate.refuse('/v1/drift', 403);
  await page.goto(`${gate.url}/drift`);
  await page.getByText('You may not see the drift').waitFor();
  await assertNoViolations(watched);
  gate.refuse('/v1/drift', undefined);
  const release = gate.hold('/v1/drift');
  await page.goto(`${gate.url}/drift`);
  await page.getByText('Loading the drift').waitFor({ state: 'attached' });
  release();
  await rowOf(page, port);
  gate.refuse('/v1/drift', 500);
  await all().estate.reconcile();
  await page.getByText('The newest request for the drift failed').waitFor({ timeout: 60_000 });
  await rowOf(page, port);
  gate.refuse('/v1/drift', undefined);
  await page.getByRole('button', { name: 'Try again' }).press('Enter');
  await page.getByText('The newest request for the drift failed').waitFor({ state: 'detached' });

  const answered = (change: (plan: Plan) => Plan) =>
    page.route('**/v1/drift', async (asked) => asked.fulfill({ json: change(await (await asked.fetch()).json()) }));
  await answered((plan) => ({ ...plan, actions: [], findings: [] }));
  await page.goto(`${gate.url}/drift`);
  await page.getByText(/^Nothing differs, as of \d\d:\d\d$/).waitFor();
  await page.getByText('Setpoint observed 1 scope completely.').waitFor();
  await assertNoViolations(watched);
  await page.unroute('**/v1/drift');
  const gap = { kind: 'instance', code: 'denied', reason: 'no permission' } as const;
  const holed = <T extends { readonly observed: Plan['observed'] }>(one: T): T => ({
    ...one,
    observed: { ...one.observed, complete: false, gaps: [gap] },
  });
  await answered((plan) => ({ ...holed(plan), actions: [], findings: [], scopes: plan.scopes.map(holed) }));
  await page.goto(`${gate.url}/drift`);
  await page.getByText('Drift is unknown in 1 scope').waitFor();
  await page.getByText(/^Nothing that Setpoint could observe differs/).waitFor();
  await page.getByText('Setpoint could not list instance: no permission').waitFor();
  await assertNoViolations(watched);
  await page.unroute('**/v1/drift');
  gate.hold('/v1/drift');
  await page.clock.setSystemTime(Date.now() + 36 * 3_600_000);
  await page.getByText(/differs, as of \d+ \w+ \d{4}, \d\d:\d\d$/).waitFor();
  await leave(watched);
});

test('drift: a hostile value is a text', inBrowser, async () => {
  const watched = await inbox();
  const { page } = watched;
  await rowOf(page, 'web-0');
  await all().estate.tag(hostile);
  await all().estate.reconcile();
  await page.getByText(hostile.slice(0, 30)).first().waitFor({ timeout: 60_000 });
  assert.equal(await page.evaluate(() => 'hostile' in window), false, 'no part of it ran');
  await assertNoViolations(watched);
  await leave(watched);
});

test('drift: a healed row says so where it stands, and leaves once the reader goes on', inBrowser, async () => {
  const watched = await inbox();
  const { page } = watched;
  const row = await rowOf(page, port);
  await page.locator('.live-live').waitFor();
  await page.keyboard.press('j');
  assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('data-row')), '0');
  const place = await row.boundingBox();
  assert.ok(place !== null);
  await drifted?.closePort();
  await row.getByText('Healed').waitFor({ timeout: 60_000 });
  assert.deepEqual((await row.boundingBox())?.y, place.y, 'it did not move');
  assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('data-row')), '0');
  await assertNoViolations(watched);
  await page.waitForTimeout(9_000);
  assert.equal(await row.count(), 1, 'it stays while the reader is at it');
  await page.keyboard.press('j');
  await row.waitFor({ state: 'detached' });
  assert.equal(
    await page.evaluate(() => document.activeElement?.className),
    'drift-line',
    'the focus stays in the list',
  );
  await leave(watched);
});

test(
  'drift: the focus stays at its row, new rows wait for it, and the list follows once it has left',
  inBrowser,
  async () => {
    const watched = await inbox('/inventory');
    const { page } = watched;
    let isHidden = true;
    const shown = (plan: Plan): Plan => ({
      ...plan,
      actions: plan.actions.filter(({ address }) => !isHidden || address?.endsWith('/web-0') !== true),
    });
    await page.route('**/v1/drift', async (asked) =>
      asked.fulfill({ json: shown(await (await asked.fetch()).json()) }),
    );
    const focused = () => page.evaluate(() => document.activeElement?.querySelector('strong')?.textContent ?? '');
    await page.goto(`${all().gateway.url}/drift`);
    await rowOf(page, 'front-0');
    await page.locator('.live-live').waitFor();
    await page.keyboard.press('j');
    const first = await focused();
    assert.notEqual(first, '');
    await page.keyboard.press('g');
    await page.waitForURL(/group=author/);
    assert.equal(await focused(), first, 'grouping draws the rows anew');

    isHidden = false;
    await all().estate.reconcile();
    const waiting = page.getByRole('button', { name: /^1 new difference: show$/ });
    await waiting.waitFor({ timeout: 60_000 });
    assert.equal(await page.locator('strong', { hasText: 'web-0' }).count(), 0);
    await page.keyboard.press('Home');
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Enter');
    const web = await rowOf(page, 'web-0');
    await waiting.waitFor({ state: 'detached' });
    assert.notEqual(await focused(), '', 'the button has gone, and a row has the focus');

    await page.keyboard.press('g');
    await page.waitForURL(/group=owner/);
    await page.locator('h1').click();
    isHidden = true;
    await all().estate.reconcile();
    await web.getByText('Healed').waitFor({ timeout: 60_000 });
    await web.waitFor({ state: 'detached' });
    await page.unroute('**/v1/drift');
    await leave(watched);
  },
);
