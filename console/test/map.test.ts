import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import type { Page } from 'playwright-core';
import type { TrafficMap } from '../src/api.d.ts';
import { all, assertNoViolations, inBrowser, leave, signedIn } from './support/suite.ts';

afterEach(() => {
  if (inBrowser.skip === false) all().gateway.mend();
});

const drawn = '.react-flow__node';

/** The name of the region or control with the focus. */
const focused = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const { activeElement: found } = document;
    return found?.ariaLabel ?? found?.querySelector('h2')?.textContent ?? found?.textContent ?? '';
  });

test('map: networks, subnets and machines are drawn, and the tables have the same', inBrowser, async () => {
  const watched = await signedIn('/map');
  const { page } = watched;
  await page.locator(drawn).first().waitFor();
  const nodes = await page.locator(drawn).count();
  const rowsOf = (name: string) => page.getByRole('table', { name }).locator('tbody tr');
  await rowsOf('Places').first().waitFor();
  assert.ok(nodes >= 5);
  assert.equal(await rowsOf('Places').count(), nodes);
  assert.equal(await rowsOf('Traffic').count(), await page.locator('.react-flow__edge').count());
  assert.match(await page.locator('.map-canvas').innerText(), /internet[\s\S]*core[\s\S]*core\.app[\s\S]*web-0/);
  const traffic = page.getByRole('table', { name: 'Traffic' });
  assert.match(await traffic.innerText(), /internet\s+web-0\s+perhaps 443\/tcp\s+unknown/);
  assert.match(await page.getByRole('table', { name: 'Places' }).innerText(), /web-0\s+Instance\s+core\.app/);
  assert.equal(await page.title(), 'Map · Setpoint');
  await assertNoViolations(watched);
  await leave(watched);
});

test('map: an edge tells its rules, by keys; a rule tells whom it reaches, and has a page', inBrowser, async () => {
  const watched = await signedIn('/map');
  const { page } = watched;
  await page.getByRole('button', { name: '1 rule of internet to web-0' }).press('Enter');
  const chosen = page.getByRole('region', { name: 'Chosen traffic' });
  await chosen.waitFor();
  assert.match(page.url(), /edge=internet/);
  assert.equal(await focused(page), 'Chosen traffic');
  assert.match(
    await chosen.innerText(),
    /internet → web-0[\s\S]*May pass: 443\/tcp[\s\S]*because[\s\S]*Rules that allow it[\s\S]*443/,
  );
  await assertNoViolations(watched);
  await chosen.getByRole('button', { name: 'Close' }).press('Enter');
  await chosen.waitFor({ state: 'detached' });
  assert.equal(await focused(page), '1 rule of internet to web-0', 'back at the control that opened it');
  await page.keyboard.press('Enter');
  await chosen.waitFor();
  await page.reload();
  await chosen.waitFor();
  await chosen.getByRole('button', { name: 'Close' }).press('Enter');
  await chosen.waitFor({ state: 'detached' });
  assert.equal(await focused(page), 'Drawing', 'nothing opened it');
  await page.getByRole('button', { name: '1 rule of internet to web-0' }).press('Enter');
  await chosen.getByRole('link', { name: 'Whom it reaches' }).first().press('Enter');
  await page.waitForURL(/rule=/);
  await page.getByRole('button', { name: /^Only the traffic that is allowed by/ }).waitFor();
  await page.locator(drawn).first().waitFor();
  await page.getByRole('button', { name: /^Only the traffic that is allowed by/ }).press('Enter');
  await page.waitForURL((url) => !url.search.includes('rule='));
  await page.waitForFunction(() => document.activeElement?.tagName === 'SEARCH', undefined, { timeout: 5_000 });
  await page.getByRole('button', { name: '1 rule of internet to web-0' }).press('Enter');
  await chosen.getByRole('link', { name: /443/ }).first().press('Enter');
  await page.waitForURL(/\/resource\?/);
  await leave(watched);
});

test('map: a click on an edge of the drawing chooses it', inBrowser, async () => {
  const watched = await signedIn('/map');
  const { page } = watched;
  await page.locator('.react-flow__edge').first().waitFor({ state: 'attached' });
  await page.locator('.react-flow__edge-interaction').first().dispatchEvent('click');
  await page.getByRole('region', { name: 'Chosen traffic' }).waitFor();
  await page
    .locator(`${drawn} .place-network`)
    .first()
    .click({ position: { x: 6, y: 6 } });
  await page.getByRole('region', { name: 'Chosen place' }).waitFor();
  await page.getByRole('link', { name: 'Only this network' }).first().press('Enter');
  await page.waitForURL(/network=/);
  await leave(watched);
});

test('map: a newer answer keeps the zoom of the person', inBrowser, async () => {
  const watched = await signedIn('/map');
  const { page } = watched;
  await page.locator('.live-live').waitFor();
  await page.locator(drawn).first().waitFor();
  const view = () => page.locator('.react-flow__viewport').evaluate((found) => found.getAttribute('style'));
  const whole = await view();
  await page.getByRole('button', { name: 'Zoom in' }).press('Enter');
  await page.waitForFunction(
    (before) => document.querySelector('.react-flow__viewport')?.getAttribute('style') !== before,
    whole,
  );
  const zoomed = await view();
  const grown = (map: TrafficMap): TrafficMap => ({
    ...map,
    nodes: [
      ...map.nodes,
      ...map.nodes.filter(({ name }) => name === 'web-0').map((one) => ({ ...one, id: 'new', name: 'new-0' })),
    ],
  });
  await page.route('**/v1/map', async (asked) => asked.fulfill({ json: grown(await (await asked.fetch()).json()) }));
  await all().estate.reconcile();
  await page.locator(drawn, { hasText: 'new-0' }).waitFor({ timeout: 60_000 });
  await page.waitForTimeout(500);
  assert.equal(await view(), zoomed);
  await page.getByRole('button', { name: 'All', exact: true }).press('Enter');
  await page.waitForFunction(
    (before) => document.querySelector('.react-flow__viewport')?.getAttribute('style') !== before,
    zoomed,
  );
  await leave(watched);
});

test('map: a worker that fails is said, and another try starts a new one', inBrowser, async () => {
  const watched = await signedIn('/');
  watched.expect(/ERR_FAILED/);
  const { page } = watched;
  await page.context().route('**/assets/elk-worker*', (asked) => asked.abort());
  await page.goto(`${all().gateway.url}/map`);
  await page.getByText('The drawing failed').waitFor();
  await page.getByRole('table', { name: 'Places' }).waitFor();
  await assertNoViolations(watched);
  await page.context().unroute('**/assets/elk-worker*');
  await page.getByRole('button', { name: 'Try again' }).press('Enter');
  await page.locator(drawn).first().waitFor();
  assert.equal(await page.getByText('The drawing failed').count(), 0);
  await page.waitForFunction(() => document.activeElement?.ariaLabel === 'Drawing', undefined, { timeout: 5_000 });
  await leave(watched);
});

test('map: a question stays when the map fails', inBrowser, async () => {
  const watched = await signedIn('/map');
  const { page } = watched;
  watched.expect(/status of 403 /);
  await page.locator('.live-live').waitFor();
  await page.locator(drawn).first().waitFor();
  const to = page.getByRole('textbox', { name: 'To', exact: true });
  await to.fill('web-0');
  all().gateway.refuse('/v1/map', 403);
  await all().estate.reconcile();
  await page.getByText('You may not see the map').waitFor({ timeout: 60_000 });
  assert.equal(await page.locator(drawn).count(), 0);
  assert.equal(await to.inputValue(), 'web-0');
  await assertNoViolations(watched);
  await leave(watched);
});

test('map: can A reach B: yes, no and unknown have their reasons', inBrowser, async () => {
  const watched = await signedIn('/map');
  const { page } = watched;
  watched.expect(/status of (400|404) /);
  const ask = async (to: string, port: string): Promise<string> => {
    await page.getByRole('textbox', { name: 'From' }).fill('internet');
    await page.getByRole('textbox', { name: 'To', exact: true }).fill(to);
    await page.getByRole('textbox', { name: 'On port' }).fill(port);
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.searchParams.get('port') === port && url.searchParams.get('to') === to);
    await page.locator('.map-verdict, [role=alert]').first().waitFor();
    return page.getByRole('region', { name: 'Can A reach B?' }).innerText();
  };
  assert.match(await ask('web-0', '22'), /No: internet → web-0 on 22[\s\S]*no ingress rule of web-0/);
  await assertNoViolations(watched);
  assert.match(
    await ask('web-0', '443'),
    /No: internet → web-0 on 443[\s\S]*subnet core\.app has no route to the internet/,
  );
  assert.match(await ask('there-is-none', '443'), /There is no such thing/);
  assert.match(await ask('web-0', 'x'), /port: a port such as 5432/);
  await leave(watched);
});

test('map: narrowed to nothing, refused, and of a smaller grant it says so', inBrowser, async () => {
  const { estate, gateway } = all();
  const watched = await signedIn('/');
  watched.expect(/status of (403|404|500) /);
  const { page } = watched;
  await page.goto(`${gateway.url}/map?focus=there-is-none`);
  await page.getByText('There is no such thing').waitFor();
  await page.getByRole('button', { name: /^Only the traffic of there-is-none/ }).press('Enter');
  await page.locator(drawn).first().waitFor();
  gateway.refuse('/v1/map', 403);
  await page.goto(`${gateway.url}/map`);
  await page.getByText('You may not see the map').waitFor();
  await assertNoViolations(watched);
  gateway.refuse('/v1/map', undefined);
  await leave(watched);
  const token = await estate.tokenOf('viewer', '--owner', 'team-web');
  const narrow = await signedIn('/map', { token });
  await narrow.page.getByText('Your grants do not cover all of the estate').waitFor();
  await narrow.page.locator(drawn).first().waitFor();
  assert.match(await narrow.page.locator('.map-canvas').innerText(), /a network outside of your grants/);
  await assertNoViolations(narrow);
  await leave(narrow);
});

test('map: in one column the fields of a question are side by side', inBrowser, async () => {
  for (const width of [390, 900]) {
    const watched = await signedIn('/map', { viewport: { width, height: 844 } });
    const fields = watched.page.locator('.map-reach input');
    await watched.page.locator(drawn).first().waitFor();
    const [from, to] = [await fields.nth(0).boundingBox(), await fields.nth(1).boundingBox()];
    assert.equal(from?.y, to?.y, `${width}`);
    await assertNoViolations(watched);
    await leave(watched);
  }
});

for (const options of [
  { viewport: { width: 390, height: 844 }, colorScheme: 'light' },
  { viewport: { width: 1280, height: 800 }, colorScheme: 'dark' },
] as const)
  test(`map: ${options.viewport.width} wide, ${options.colorScheme}; hostile names are text`, inBrowser, async () => {
    const watched = await signedIn('/map', options);
    const { page } = watched;
    await page.locator(drawn).first().waitFor();
    await page.getByRole('table', { name: 'Places' }).waitFor();
    const heights = await page.locator('.map-table button').evaluateAll((all) => all.map((one) => one.clientHeight));
    assert.ok(heights.length > 3 && Math.max(...heights) < 40, `no word of a table breaks: ${heights}`);
    assert.ok((await page.locator('body').innerText()).includes('onerror'));
    assert.equal(await page.evaluate(() => Reflect.get(window, 'hostile')), undefined);
    await assertNoViolations(watched);
    await leave(watched);
  });
