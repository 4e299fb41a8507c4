import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PendingApprovals } from '../src/api.d.ts';
import { bob, type DriftedEstate, openDriftedEstate } from './support/drifted.ts';
import { all, assertNoViolations, inBrowser, leave, over, signedIn } from './support/suite.ts';

let drifted: DriftedEstate | undefined;

over(async () => {
  drifted = await openDriftedEstate();
  return drifted;
});
afterEach(() => {
  if (inBrowser.skip === false) all().gateway.mend();
});

async function pending(): Promise<PendingApprovals> {
  const { url, token } = all().estate;
  const answer = await fetch(`${url}/v1/approvals`, { headers: { authorization: `Bearer ${token}` } });
  return answer.json();
}

test(
  'approvals: a reviewer reads the effect, the changes and whose work they undo; refuses, approves, and sees them carried out',
  inBrowser,
  async () => {
    const watched = await signedIn('/approvals', { token: await all().estate.tokenOf('approver') });
    const { page } = watched;
    const before = await pending();
    await page.getByText(`${before.actions.length} actions wait in generation`).waitFor();
    const rule = page.locator('.planned-action', { hasText: 'edge.front.ingress.tcp.22' });
    assert.match(await rule.innerText(), new RegExp(`Delete firewall-rule[\\s\\S]*Undoes the work of ${bob}`));
    await page.getByText(/^Cuts 22\/tcp from 0\.0\.0\.0\/0, the internet to edge\.front/).waitFor();
    assert.match(await page.locator('.planned-action', { hasText: 'web-0' }).innerText(), /labels\.tier: eves → web/);
    await assertNoViolations(watched);

    await page.getByRole('button', { name: 'Refuse these actions' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Reason').fill('ask team-web first');
    await dialog.getByRole('button', { name: 'Refuse' }).click();
    await page.getByText(/refused \d+ actions: ask team-web first$/).waitFor();
    assert.equal((await pending()).refusals[0]?.reason, 'ask team-web first');

    await page.getByRole('button', { name: /^Approve \d+ actions$/ }).click();
    await dialog.getByLabel('The approval ends after').selectOption('1 hour');
    await dialog.getByLabel('Reason').fill('they agreed');
    await page.keyboard.press('Enter');
    await page.getByText('Approved', { exact: true }).waitFor();
    await page.getByText(/^No action that you may approve waits in generation/).waitFor({ timeout: 60_000 });
    const done = page.locator('section', { hasText: 'Newest changes' });
    await done.getByText('RevokeSecurityGroupIngress').first().waitFor({ timeout: 60_000 });
    assert.equal(await page.getByRole('button', { name: /^Approve/ }).count(), 0);
    await assertNoViolations(watched);
    await leave(watched);
  },
);

test(
  'approvals: an approval of what has changed is refused, and the page shows what waits now',
  inBrowser,
  async () => {
    await all().estate.tag('first');
    await all().estate.reconcile();
    const watched = await signedIn('/approvals');
    watched.expect(/status of 409 /);
    const { page } = watched;
    await page.getByText(/labels\.tier: first → web/).waitFor({ timeout: 60_000 });
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Copy a link to these actions' }).click();
    await page.getByText('Copied.').waitFor();
    const link = await page.evaluate(() => navigator.clipboard.readText());
    assert.equal(link, `${all().gateway.url}/approvals?digest=${(await pending()).digest}`);
    await page.getByRole('button', { name: /^Approve/ }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Reason').fill('too late');
    await all().estate.tag('second');
    await all().estate.reconcile();
    const until = Date.now() + 90_000;
    while (!JSON.stringify((await pending()).actions).includes('"second"')) {
      assert.ok(Date.now() < until, 'a worker observes the second value');
      await sleep(200);
    }
    await dialog.getByRole('button', { name: 'Approve' }).click();
    await dialog.getByRole('alert').waitFor();
    assert.deepEqual(
      (await pending()).approvals.filter(({ reason }) => reason === 'too late'),
      [],
    );
    await page.keyboard.press('Escape');
    await page.getByText(/labels\.tier: second → web/).waitFor({ timeout: 60_000 });
    assert.equal(
      await page.getByRole('button', { name: /^Approve/ }).count(),
      0,
      'nobody approves what they have not read',
    );
    await page.locator('.planned-action', { hasText: 'second' }).getByText('new', { exact: true }).first().waitFor();
    await page.getByRole('button', { name: 'I have read them' }).click();
    await page.getByRole('button', { name: /^Approve/ }).click();
    assert.equal(await dialog.getByLabel('Reason').inputValue(), '', 'the reason was of the refused one');
    await page.keyboard.press('Escape');
    await page.goto(link);
    await page.getByText('The link is of other actions').waitFor();
    await page.goto(`${all().gateway.url}/approvals`);
    await page.getByRole('button', { name: /^Approve/ }).waitFor();
    await leave(watched);
  },
);

test(
  'approvals: who may not approve reads the same, without a button; at 390 pixels and in dark nothing is cut off',
  inBrowser,
  async () => {
    const token = await all().estate.tokenOf('viewer');
    for (const options of [{ viewport: { width: 390, height: 844 } }, { colorScheme: 'dark' }] as const) {
      const watched = await signedIn('/approvals', { ...options, token });
      await watched.page.getByText('Your grants do not permit approvals').waitFor();
      assert.equal(await watched.page.getByRole('group', { name: 'Decision' }).count(), 0);
      await assertNoViolations(watched);
      await leave(watched);
    }
  },
);
