import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { hostile } from './support/estate.ts';
import { all, assertNoViolations, inBrowser, leave, signedIn } from './support/suite.ts';

afterEach(() => {
  if (inBrowser.skip === false) all().gateway.mend();
});

/** A pause of the target by the API, as `setpoint pause` makes it. */
async function pause(reason: string): Promise<void> {
  const { url, token } = all().estate;
  const { status } = await fetch(`${url}/v1/pauses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      ...{ reason, mode: 'healing', subject: { type: 'target', name: 'aws' } },
      until: new Date(Date.now() + 3_600_000).toISOString(),
    }),
  });
  assert.ok(status < 300, `${status}`);
}

const entries = '.entries > li';

test(
  'ledger: an intent and its outcome are one row, with its calls and the reach of signatures',
  inBrowser,
  async () => {
    const watched = await signedIn('/ledger');
    const { page } = watched;
    const machine = page.locator(entries, { hasText: 'instance/web-0' });
    await machine.waitFor();
    assert.equal(await machine.count(), 1);
    const text = await machine.innerText();
    for (const said of [
      /create, done/,
      /entries \d+, \d+/,
      /generation 1/,
      /took [\d.]+ m?s/,
      /RunInstances [\w-]{36}/,
    ])
      assert.match(text, said);
    assert.match(await page.locator('.signatures').innerText(), /Signed up to entry \d+ \(/);
    const whole = await page.getByRole('link', { name: 'Export the whole ledger' }).getAttribute('href');
    assert.equal(whole, '/v1/ledger/export?estate=acme');
    assert.equal(await page.title(), 'Ledger · Setpoint');
    await assertNoViolations(watched);
    await leave(watched);
  },
);

test('ledger: filters are in the address, by keys, and an empty answer names them', inBrowser, async () => {
  const watched = await signedIn('/ledger');
  const { page } = watched;
  await page.locator(entries).nth(3).waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('aws/111122223333/eu-west-1/instance/web-0');
  await page.keyboard.press('Enter');
  await page.waitForURL(/address=aws/);
  await page.waitForFunction((rows) => document.querySelectorAll(rows).length === 1, entries);
  await page.getByLabel('Verb').selectOption('delete');
  await page.waitForURL(/verb=delete/);
  await page.getByText('No entry matches').waitFor();
  assert.match(await page.locator('.notice').innerText(), /verb delete/);
  await assertNoViolations(watched);
  await page.reload();
  await page.getByText('No entry matches').waitFor();
  await page.getByRole('button', { name: 'Clear' }).press('Enter');
  await page.locator(entries).nth(3).waitFor();
  assert.equal(new URL(page.url()).search, '');
  await page.getByLabel('Time', { exact: true }).selectOption('range');
  await page.getByLabel('Until').fill('2020-01-01T00:00');
  await page.waitForURL(/until=2020-01-01T00/);
  await page.getByText('No entry matches').waitFor();
  await assertNoViolations(watched);
  await leave(watched);
});

test('ledger: one row is in the tab order, and a request id is copied', inBrowser, async () => {
  const watched = await signedIn('/ledger');
  const { page } = watched;
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.locator(entries).nth(3).waitFor();
  assert.equal(await page.locator(`${entries} .entry-subject a[tabindex="0"]`).count(), 1);
  await page.locator(`${entries} .entry-subject a[tabindex="0"]`).focus();
  for (const key of ['End', 'k', 'j']) await page.keyboard.press(key);
  const last = page.locator(entries).last();
  assert.match(await last.innerText(), /network\/core/);
  const [id = ''] = /[\w-]{36}/.exec(await last.locator('.call').innerText()) ?? [];
  await last.getByRole('button', { name: `Copy the request id ${id}` }).press('Enter');
  await page.getByText(`Copied ${id}`).waitFor({ state: 'attached' });
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), id);
  await page.locator(`${entries} .entry-subject a[tabindex="0"]`).press('Enter');
  await page.waitForURL(/\/resource\?.*network/);
  await leave(watched);
});

test('ledger: a decision shows without a reload, and a hostile reason is a text', inBrowser, async () => {
  const watched = await signedIn('/ledger?type=note');
  const { page } = watched;
  await page.locator('.live-live').waitFor();
  await page.locator(entries).first().waitFor();
  // why: the API refuses signs that turn the line round in a reason
  const reason = hostile.replace('\u202e', '');
  await pause(reason);
  const row = page.locator(entries, { hasText: 'onerror' });
  await row.waitFor();
  assert.match(await row.innerText(), /Pause[\s\S]*target aws[\s\S]*token first/);
  assert.ok((await row.locator('.entry-reason').innerText()).includes(reason));
  assert.equal(await page.evaluate(() => 'hostile' in window), false, 'no part of it ran');
  await assertNoViolations(watched);
  await leave(watched);
});

test(
  'ledger: no row moves while somebody reads the list, and the row of the keys stays theirs',
  inBrowser,
  async () => {
    const watched = await signedIn('/ledger');
    const { page } = watched;
    await page.locator('.live-live').waitFor();
    const chosen = page.locator(`${entries} .entry-subject a[tabindex="0"]`);
    await chosen.focus();
    await page.keyboard.press('j');
    const row = page.locator(entries, { has: page.locator('.entry-subject a[tabindex="0"]') });
    const [name, place] = [await row.locator('.entry-facts').innerText(), await row.getAttribute('data-index')];
    await pause('while a person reads');
    const show = page.getByRole('button', { name: 'New entries: show them' });
    await show.waitFor();
    assert.equal(await page.getByText('while a person reads').count(), 0);
    assert.equal(await row.getAttribute('data-index'), place);
    await page.getByLabel('Verb').focus();
    await page.getByText('while a person reads').waitFor();
    await show.waitFor({ state: 'detached' });
    assert.equal(await row.locator('.entry-facts').innerText(), name);
    assert.equal(await row.getAttribute('data-index'), `${Number(place) + 1}`);
    await leave(watched);
  },
);

test('ledger: the bar shows each filter of time that the address has', inBrowser, async () => {
  const watched = await signedIn('/ledger?since=12h');
  const { page } = watched;
  await page.locator(entries).first().waitFor();
  const time = page.getByLabel('Time', { exact: true });
  assert.equal(await time.inputValue(), '12h');
  await time.selectOption('range');
  await page.waitForURL(/since=20\d\d-/);
  assert.match(await page.getByLabel('From').inputValue(), /^20\d\d-\d\d-\d\dT/);
  await page.goto(`${all().gateway.url}/ledger?since=2h&until=1s`);
  await page.locator(entries).first().waitFor();
  assert.equal(await time.inputValue(), 'range');
  for (const label of ['From', 'Until']) assert.match(await page.getByLabel(label).inputValue(), /^20\d\d-\d\d-\d\dT/);
  await leave(watched);
});

test('ledger: a partial grant sees its own entries, and nothing of signatures and the export', inBrowser, async () => {
  const token = await all().estate.tokenOf('viewer', '--owner', 'team-net');
  const watched = await signedIn('/inventory', { token });
  watched.expect(/404 .*\/v1\/ledger\/signatures/);
  const { page } = watched;
  await page.getByRole('link', { name: 'Ledger', exact: true }).press('Enter');
  await page.locator(entries).first().waitFor();
  await page.getByText('The entries that your grant covers').waitFor();
  const text = await page.locator('main').innerText();
  assert.match(text, /network\/core/);
  for (const others of [/web-0/, /Export the whole ledger/, /Token made/]) assert.doesNotMatch(text, others);
  await assertNoViolations(watched);
  await leave(watched);
});

test('ledger: refusals are said in words; phones, zoom and dark cut nothing off', inBrowser, async () => {
  const { gateway } = all();
  for (const options of [
    { viewport: { width: 390, height: 844 } },
    { viewport: { width: 640, height: 400 }, colorScheme: 'dark' as const },
  ]) {
    const watched = await signedIn('/ledger', options);
    const { page } = watched;
    watched.expect(/(403|500) .*\/v1\/ledger/);
    await page.locator(entries).first().waitFor();
    await page.locator('.signatures').waitFor();
    await assertNoViolations(watched);
    gateway.refuse('/v1/ledger', 403);
    gateway.refuse('/v1/ledger/signatures', 403);
    await page.reload();
    await page.getByText('You may not see the ledger').waitFor();
    await page.getByText('You may not see the signatures').waitFor();
    await assertNoViolations(watched);
    gateway.mend();
    await leave(watched);
  }
});

test('ledger: an entry of many calls shows the first, and the others at a word', inBrowser, async () => {
  const watched = await signedIn();
  const { page } = watched;
  await page.route('**/v1/ledger?*', async (route) => {
    const answer = await route.fetch();
    const body = await answer.json();
    const calls = Array.from({ length: 9 }, (_, n) => ({ action: `VirtualMachines_Get${n}`, requestId: `r-${n}` }));
    for (const entry of body.items) if (entry.type === 'settlement') entry.body.calls = calls;
    await route.fulfill({ response: answer, json: body });
  });
  await page.getByRole('link', { name: 'Ledger' }).click();
  const row = page.locator('article').filter({ hasText: 'VirtualMachines_Get0' }).first();
  await row.waitFor();
  assert.equal(await row.locator('.call').count(), 4);
  await row.getByRole('button', { name: '5 more calls' }).click();
  assert.equal(await row.locator('.call').count(), 9);
  await leave(watched);
});
