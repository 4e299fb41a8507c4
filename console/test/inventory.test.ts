import assert from 'node:assert/strict';
import { test } from 'node:test';
import { all, assertNoViolations, inBrowser, leave, signedIn } from './support/suite.ts';

test('counts: each status and each choice has its number, whatever it is set to itself', inBrowser, async () => {
  const watched = await signedIn('/inventory?kind=instance,network');
  const { page } = watched;
  const drifted = page.getByRole('button', { name: /^(Drifted|Blocked) 1$/ });
  await drifted.waitFor();
  await page.getByRole('button', { name: 'Missing 0' }).waitFor();
  await page.getByRole('combobox', { name: 'Kind' }).press('Enter');
  await page.getByRole('option', { name: /^subnet [1-9]/ }).waitFor();
  await assertNoViolations(watched);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Missing 0' }).press('Enter');
  await page.getByText('No resource matches').waitFor();
  await drifted.waitFor();
  await leave(watched);
});

test('groups: keys open and close them, and their rows are those of the filter', inBrowser, async () => {
  const watched = await signedIn('/inventory');
  const { page } = watched;
  await page.getByLabel('Group by').selectOption('network');
  await page.waitForURL(/group=network/);
  const core = page.getByRole('button', { name: /^core \d+$/ });
  await core.focus();
  assert.equal(await page.locator('tbody .line').count(), 0);
  await page.keyboard.press('ArrowRight');
  const rows = page.getByRole('table', { name: 'Resources of core' });
  await rows.getByRole('link', { name: 'web-0' }).waitFor();
  assert.equal(await rows.locator('tbody .line').count(), Number(/\d+$/.exec(await core.innerText())?.[0]));
  await assertNoViolations(watched);
  await page.keyboard.press('ArrowRight');
  assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('data-row')), '0');
  await page.keyboard.press('ArrowLeft');
  assert.equal(await core.evaluate((one) => one === document.activeElement), true);
  await page.keyboard.press('ArrowLeft');
  assert.equal(await core.getAttribute('aria-expanded'), 'false');
  await page.keyboard.press('ArrowDown');
  assert.equal(await core.evaluate((one) => one === document.activeElement), false, 'the next group has the focus');

  await page.goto(`${all().gateway.url}/inventory?group=owner&kind=instance`);
  await page.getByRole('button', { name: 'team-web 1' }).waitFor();
  await page.getByRole('link', { name: 'Only team-web' }).press('Enter');
  await page.waitForURL(/\/inventory\?kind=instance&owner=team-web$/);
  await page.getByRole('link', { name: 'web-0' }).waitFor();
  await leave(watched);
});

test('views: saved, renamed, begun with and removed, in this browser alone', inBrowser, async () => {
  const watched = await signedIn('/inventory');
  const { page } = watched;
  await page.locator('tbody .line').first().waitFor();
  assert.equal(await page.getByRole('button', { name: 'Save view' }).count(), 0, 'there is nothing to save yet');
  await page.goto(`${all().gateway.url}/inventory?kind=instance&group=owner`);
  await page.getByLabel('Name of a new view').fill('Machines');
  await page.keyboard.press('Enter');
  const views = page.getByRole('region', { name: 'Saved views' });
  await views.getByRole('link', { name: 'Machines' }).waitFor();
  await page.getByRole('button', { name: 'Edit views' }).press('Enter');
  await page.getByLabel('New name of Machines').fill('Machines');
  await page.getByText('Another view has this name').waitFor();
  await page.getByLabel('New name of Machines').fill('By owner');
  await page.keyboard.press('Enter');
  await views.getByRole('link', { name: 'By owner' }).waitFor();
  await page.getByRole('button', { name: 'Begin with By owner' }).press('Enter');
  await assertNoViolations(watched);
  assert.deepEqual(await page.evaluate(() => Object.keys(localStorage)), ['setpoint.views.*']);

  const other = await page.context().newPage();
  await other.goto(`${all().gateway.url}/inventory?kind=network`);
  await other.getByLabel('Name of a new view').fill('Networks');
  await other.keyboard.press('Enter');
  await views.getByRole('link', { name: 'Networks' }).waitFor();
  await other.getByRole('button', { name: 'Edit views' }).press('Enter');
  await other.getByRole('button', { name: 'Remove Networks' }).press('Enter');
  await views.getByRole('link', { name: 'Networks' }).waitFor({ state: 'detached' });
  await views.getByRole('link', { name: 'By owner' }).waitFor();
  await other.close();

  await page.goto(`${all().gateway.url}/inventory`);
  await page.waitForURL(/\/inventory\?kind=instance&group=owner$/);
  await page.goto(`${all().gateway.url}/inventory?kind=subnet`);
  await page.locator('tbody .line').first().waitFor();
  assert.equal(new URL(page.url()).search, '?kind=subnet', 'an address with a filter is as it says');
  await page.getByRole('button', { name: 'Edit views' }).press('Enter');
  await page.getByRole('button', { name: 'Remove By owner' }).press('Enter');
  await views.getByRole('link').waitFor({ state: 'detached' });
  assert.equal(await page.evaluate(() => localStorage.length), 0);
  await leave(watched);
});

test('a row that leaves the filter stays for a while, struck, and says so', inBrowser, async () => {
  const { estate: place } = all();
  const watched = await signedIn('/inventory?status=Drifted,Blocked');
  const { page } = watched;
  await page.locator('.live-live').waitFor();
  await page.getByRole('link', { name: 'web-0' }).waitFor();
  await place.tag('web');
  await place.reconcile();
  await page.locator('.is-left').waitFor({ timeout: 30_000 });
  await page.getByText('left the filter: now In sync', { exact: true }).waitFor();
  await page
    .getByRole('status')
    .filter({ hasText: 'web-0 left the filter: now In sync' })
    .waitFor({ state: 'attached' });
  await assertNoViolations(watched);
  await page.getByText('No resource matches').waitFor({ timeout: 15_000 });
  await leave(watched);
});
