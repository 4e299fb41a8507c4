import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { hostile } from './support/estate.ts';
import { all, assertNoViolations, blankPage, inBrowser, leave, signedIn } from './support/suite.ts';

test(
  'sign in: a wrong token is refused in words, a right one goes on, and signing out ends it',
  inBrowser,
  async () => {
    const watched = await blankPage();
    const { page } = watched;
    await page.goto(all().gateway.url);
    await page.locator('#token').waitFor();
    await assertNoViolations(watched);
    await page.keyboard.type('setpoint_wrong');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').waitFor();
    assert.match(await page.getByRole('alert').innerText(), /This token is not valid/);
    await page.locator('#token').fill(all().estate.token);
    await page.keyboard.press('Enter');
    await page.locator('.headline').waitFor();
    assert.equal(await page.evaluate(() => document.cookie), '', 'no script can read the credential');
    assert.equal(await page.evaluate(() => localStorage.length + sessionStorage.length), 0);

    await page.getByRole('button', { name: /Account/ }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
    assert.match(await page.locator('.account').innerText(), /admin of all estates/);
    await assertNoViolations(watched);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.locator('#token').waitFor();
    assert.equal(await page.title(), 'Sign in · Setpoint');
    assert.doesNotMatch(await page.locator('body').innerText(), /web-0|Your session ended/);
    await leave(watched);
  },
);

test('overview: the first line says what is wrong, and leads to it', inBrowser, async () => {
  const watched = await signedIn();
  const { page } = watched;
  const line = page.locator('.headline-text');
  await line.waitFor();
  assert.match(await line.innerText(), /1 resource (drifted|is blocked)/);
  await page.locator('.figures, .rest, .empty').first().waitFor();
  assert.match(await page.locator('.targets').innerText(), /aws[\s\S]*In sync/);
  await page.locator('.targets').getByText('complete', { exact: true }).waitFor();
  assert.deepEqual(await headings(page), [
    'Overview',
    'Targets',
    'Pending work',
    'Exposed to the internet',
    'Drift and convergence',
  ]);
  assert.equal(await page.title(), 'Overview · Setpoint');
  await page.locator('.trends canvas').nth(2).waitFor();
  assert.deepEqual(await page.locator('.trends figcaption').allInnerTexts(), [
    'Out of sync',
    'Drifted',
    'Converged P95',
  ]);
  await page.getByText('The same as a table').click();
  const newest = page.getByRole('table', { name: 'Drift and convergence over time' }).locator('tbody tr').first();
  assert.match(await newest.innerText(), /8\s+1\s+\d+\s+\S+( s)?\s+\d+\.\d\d %/, '8 resources, 1 of them out of sync');
  await assertNoViolations(watched);
  await line.getByRole('link').focus();
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/inventory\?status=/);
  await page.getByRole('link', { name: 'web-0' }).waitFor();
  assert.deepEqual(await headings(page), ['Inventory']);
  assert.equal(await page.title(), 'Inventory · Setpoint');
  assert.equal(await focusedId(page), 'content', 'the keys go on at the beginning of the new screen');
  await leave(watched);
});

test('inventory: filters and sort are in the address, and one row is in the tab order', inBrowser, async () => {
  const watched = await signedIn('/inventory');
  const { page } = watched;
  await page.locator('tbody .line').first().waitFor();
  const before = await page.locator('tbody .line').count();
  await assertNoViolations(watched);
  await page.keyboard.press('/');
  await page.keyboard.type('web-0');
  await page.waitForURL(/q=web-0/);
  await page.waitForFunction((count) => document.querySelectorAll('tbody .line').length < count, before);
  await page.reload();
  await page.getByRole('link', { name: 'web-0' }).waitFor();
  assert.equal(await page.locator('input[type=search]').first().inputValue(), 'web-0');
  const address = await page.getByRole('link', { name: 'CSV' }).getAttribute('href');
  assert.equal(address, '/v1/inventory?q=web-0&format=csv');

  await page.goto(`${all().gateway.url}/inventory`);
  await page.locator('tbody .line').nth(2).waitFor();
  assert.equal(await page.locator('tbody a[tabindex="0"]').count(), 1);
  await page.locator('tbody a[tabindex="0"]').focus();
  for (const key of ['ArrowDown', 'j', 'k']) await page.keyboard.press(key);
  assert.equal(await focused(page), '1');
  await page.keyboard.press('End');
  await page.waitForFunction(() => Number(document.activeElement?.getAttribute('data-row')) > 3);
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/resource\?/);
  await leave(watched);
});

test('inventory: a choice of several is made by keys, and an empty answer offers the way back', inBrowser, async () => {
  const watched = await signedIn('/inventory');
  const { page } = watched;
  await page.getByRole('combobox', { name: 'Kind' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('option', { name: 'subnet' }).waitFor();
  await assertNoViolations(watched);
  await page.keyboard.type('subnet');
  await page.keyboard.press('Enter');
  await page.waitForURL(/kind=subnet/);
  await page.keyboard.press('Escape');
  await page.goto(`${all().gateway.url}/inventory?q=there-is-no-such-thing`);
  await page.getByText('No resource matches').waitFor();
  await page.getByRole('button', { name: 'Clear the filters' }).press('Enter');
  await page.locator('tbody .line').first().waitFor();
  assert.equal(new URL(page.url()).search, '');
  await leave(watched);
});

test(
  'resource: the differing field is first, with all three sides, the next action and the ledger',
  inBrowser,
  async () => {
    const watched = await signedIn('/inventory?q=instance/web-0');
    const { page } = watched;
    await page.getByRole('link', { name: 'web-0' }).press('Enter');
    await page.locator('.sides').waitFor();
    await page.getByText('Last applied · entry').waitFor();
    assert.match(await page.locator('.sides tbody tr').first().innerText(), /labels\.tier\s+web\s+toms\s+web/);
    assert.equal(await page.locator('.differs').count(), 1);
    await page.getByText('update, because it drifted').waitFor();
    const text = await page.locator('main').innerText();
    for (const said of [/update, because it drifted/, /Withheld/, /Done: create/, /all\.yaml:/, /RunInstances/])
      assert.match(text, said);
    assert.deepEqual(await headings(page), [
      'web-0',
      'Desired, observed, last applied',
      'Next action',
      'Reasons',
      'History',
      'Ledger',
      'Origin of the desired fields',
      'Relations',
      'Refers to',
    ]);
    assert.equal(await page.title(), 'web-0 · Setpoint');
    assert.equal(await focusedId(page), 'content');
    await assertNoViolations(watched);
    await leave(watched);
  },
);

test('phone: at 390 pixels, and at 200 % zoom, nothing is cut off', inBrowser, async () => {
  for (const viewport of [
    { width: 390, height: 844 },
    { width: 640, height: 400 },
  ]) {
    const watched = await signedIn('/', { viewport });
    const { page } = watched;
    await page.locator('.headline').waitFor();
    await page.locator('.counts').first().waitFor();
    await assertNoViolations(watched);
    await page.goto(`${all().gateway.url}/inventory`);
    await page.locator('tbody .line').first().waitFor();
    await assertNoViolations(watched);
    await page.goto(`${all().gateway.url}/inventory?q=instance/web-0`);
    await page.getByRole('link', { name: 'web-0' }).click();
    await page.locator('.sides').waitFor();
    await assertNoViolations(watched);
    await leave(watched);
  }
});

test('dark: the colours have the contrast that they need', inBrowser, async () => {
  const watched = await signedIn('/', { colorScheme: 'dark' });
  const { page } = watched;
  await page.locator('.counts').first().waitFor();
  await assertNoViolations(watched);
  await page.goto(`${all().gateway.url}/inventory?status=Drifted,Blocked,InSync,Unmanaged`);
  await page.locator('tbody .line').first().waitFor();
  await assertNoViolations(watched);
  await page.getByRole('link', { name: 'web-0' }).press('Enter');
  await page.locator('.sides').waitFor();
  await assertNoViolations(watched);
  await leave(watched);
});

test('a hostile name is a text', inBrowser, async () => {
  const watched = await signedIn('/inventory?kind=network&claim=unmanaged');
  const { page } = watched;
  const link = page.locator('tbody a', { hasText: 'onerror' });
  await link.waitFor();
  assert.equal(await link.innerText(), hostile);
  await assertNoViolations(watched);
  await link.press('Enter');
  await page.locator('.sides').waitFor();
  assert.equal(await page.locator('h1').innerText(), hostile);
  await assertNoViolations(watched);
  assert.equal(await page.evaluate(() => 'hostile' in window), false, 'no part of it ran');
  await leave(watched);
});

test('first paint: two seconds at most on loopback, where the aim is one', inBrowser, async () => {
  const watched = await signedIn();
  const { page } = watched;
  await page.locator('.headline').waitFor();
  const tookMs: number[] = [];
  // why: machines of tests are shared, so the best of three counts
  for (let time = 0; time < 3; time += 1) {
    const began = performance.now();
    await page.goto(all().gateway.url);
    await page.locator('.headline').waitFor();
    tookMs.push(Math.round(performance.now() - began));
  }
  process.stderr.write(`first useful paint: ${tookMs.join(', ')} ms\n`);
  assert.ok(Math.min(...tookMs) < 2_000, `${tookMs}`);
  await leave(watched);
});

const focused = (page: Page): Promise<string | null | undefined> =>
  page.evaluate(() => document.activeElement?.getAttribute('data-row'));

const focusedId = (page: Page): Promise<string | undefined> => page.evaluate(() => document.activeElement?.id);

const headings = async (page: Page): Promise<readonly string[]> =>
  (await page.getByRole('heading').allInnerTexts()).map((text) => text.trim());
