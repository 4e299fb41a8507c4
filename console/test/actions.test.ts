import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import type { Patch, Pause } from '../src/api.d.ts';
import { all, assertNoViolations, inBrowser, leave, signedIn } from './support/suite.ts';

afterEach(() => {
  if (inBrowser.skip === false) all().gateway.mend();
});

const web = 'aws/111122223333/eu-west-1/instance/web-0';

async function openWeb(page: Page): Promise<void> {
  await page.locator('.drift-line', { hasText: 'web-0' }).click();
  await page.locator('.drift-detail').waitFor();
}

async function pauses(): Promise<readonly Pause[]> {
  const { url, token } = all().estate;
  const answer = await fetch(`${url}/v1/pauses`, { headers: { authorization: `Bearer ${token}` } });
  return (await answer.json()).items;
}

test('actions: an operator pauses a drifted resource by keys, and resumes it in the overview', inBrowser, async () => {
  const watched = await signedIn('/drift', { token: await all().estate.tokenOf('operator') });
  const { page } = watched;
  await openWeb(page);
  const pause = page.getByRole('button', { name: /^Pause .*instance\/web-0$/ });
  await pause.focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog');
  await dialog.waitFor();
  await assertNoViolations(watched);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  assert.equal(await pause.evaluate((one) => one === document.activeElement), true, 'the focus is back');
  assert.equal(await page.locator('.drift-detail').count(), 1, 'Escape closed the dialog alone');
  await page.keyboard.press('Enter');
  await dialog.getByLabel('How long').selectOption('24 hours');
  await dialog.getByLabel('Reason').fill('we test a jog');
  await page.keyboard.press('Enter');
  await page.getByText(/^Paused: .*instance\/web-0$/).waitFor();
  await dialog.waitFor({ state: 'detached' });
  const [made] = await pauses();
  assert.deepEqual([made?.mode, made?.subject.type, made?.reason], ['healing', 'address', 'we test a jog']);
  assert.ok(Math.abs(Date.parse(made?.until ?? '') - Date.now() - 24 * 3_600_000) < 120_000);

  await page.getByRole('link', { name: 'Overview', exact: true }).click();
  await page.getByRole('button', { name: /^Resume .*instance\/web-0$/ }).click();
  await dialog.getByText('we test a jog').waitFor();
  await dialog.getByLabel('Reason').fill('tested');
  await dialog.getByRole('button', { name: 'Resume' }).click();
  await page.getByText('The pause ended').waitFor();
  assert.deepEqual(await pauses(), []);
  await assertNoViolations(watched);
  await leave(watched);
});

test('actions: a pause whose answer is lost is sent again with its key, and made once', inBrowser, async () => {
  const watched = await signedIn('/drift');
  watched.expect(/ERR_EMPTY_RESPONSE.*\/v1\/pauses$/);
  const { page } = watched;
  await openWeb(page);
  await page.getByRole('button', { name: /^Pause .*instance\/web-0$/ }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Reason').fill('a lost answer');
  all().gateway.loseAnswers('/v1/pauses');
  await dialog.getByRole('button', { name: 'Pause' }).click();
  await dialog.getByText('No answer came').waitFor();
  all().gateway.mend();
  await dialog.getByRole('button', { name: 'Pause' }).click();
  await page.getByText(/^Paused: /).waitFor();
  assert.equal((await pauses()).length, 1);
  const { url, token } = all().estate;
  const entries = await fetch(`${url}/v1/ledger?type=note`, { headers: { authorization: `Bearer ${token}` } });
  assert.equal((await entries.text()).split('a lost answer').length - 1, 1);
  await leave(watched);
});

test('actions: heal now requests a reconcile with the reason of the person', inBrowser, async () => {
  const watched = await signedIn(`/resource?of=${web}`);
  const { page } = watched;
  await page.getByRole('button', { name: 'Observe now: target aws' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Reason').fill('look again');
  await dialog.getByRole('button', { name: 'Request it' }).click();
  await page.getByText('Reconcile requested').waitFor();
  const { url, token } = all().estate;
  const isThere = async (): Promise<boolean> => {
    const answer = await fetch(`${url}/v1/reconciles`, { headers: { authorization: `Bearer ${token}` } });
    return (await answer.text()).includes('look again');
  };
  const until = Date.now() + 30_000;
  while (!(await isThere())) {
    assert.ok(Date.now() < until, 'a worker carries it out');
    await sleep(100);
  }
  await assertNoViolations(watched);
  await leave(watched);
});

test('actions: who may only read sees none; the bounds of a grant are those of its actions', inBrowser, async () => {
  const { estate } = all();
  for (const [token, actions] of [
    [await estate.tokenOf('viewer'), []],
    [await estate.tokenOf('operator', '--owner', 'team-net'), []],
    [await estate.tokenOf('operator', '--owner', 'team-web'), ['Patch…', 'Pause…']],
    [await estate.tokenOf('approver'), ['Review for approval']],
  ] as const) {
    const watched = await signedIn('/', { token });
    watched.expect(/status of 404 /);
    const { page } = watched;
    await page.goto(`${all().gateway.url}/resource?of=${web}`);
    const group = page.getByRole('group', { name: 'Actions' });
    if (actions.length > 0) await group.waitFor();
    // why: by then the page knows the resource and the targets, or that nobody may see it
    else await page.locator('.state, .notice.tone-wrong').first().waitFor();
    assert.deepEqual(await group.locator('button, a').allInnerTexts(), actions);
    await leave(watched);
  }
});

test('actions: a person takes drift on and comments; others see it, and the ledger has both', inBrowser, async () => {
  const { estate } = all();
  const watched = await signedIn('/drift', { token: await estate.tokenOf('planner') });
  const { page } = watched;
  await openWeb(page);
  await page.getByRole('button', { name: `Assign to me: ${web}` }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Reason').fill('I know this one');
  await page.keyboard.press('Enter');
  const notes = page.getByRole('region', { name: 'Assignee and comments' });
  await notes.getByText(/token planner takes care of it, since .*: I know this one/).waitFor();
  await page.getByRole('button', { name: `Comment on ${web}` }).click();
  await dialog.getByLabel('Comment').fill('tom tagged it for a demo <b>');
  await page.keyboard.press('Enter');
  await notes.getByText('tom tagged it for a demo <b>').waitFor();
  await assertNoViolations(watched);
  await leave(watched);

  const other = await signedIn(`/resource?of=${web}`, { token: await estate.tokenOf('viewer') });
  await other.page.getByText('tom tagged it for a demo <b>').first().waitFor();
  await other.page.getByText(/takes care of it/).waitFor();
  assert.equal(await other.page.getByRole('group', { name: 'Assign and comment' }).count(), 0);
  await assertNoViolations(other);
  await leave(other);

  const ends = await signedIn(`/resource?of=${web}`);
  await ends.page.getByRole('button', { name: `End the assignment of ${web}` }).click();
  await ends.page.getByRole('dialog').getByLabel('Reason').fill('done');
  await ends.page.keyboard.press('Enter');
  const care = ends.page.getByRole('region', { name: 'Assignee and comments' }).getByText(/takes care of it/);
  await care.waitFor({ state: 'detached' });
  await ends.page.goto(`${all().gateway.url}/ledger?type=note`);
  for (const word of ['Assignment ended', 'Assignment', 'Comment'])
    await ends.page.getByText(word, { exact: true }).first().waitFor();
  await leave(ends);
});

test('actions: an operator reads the plan of a patch, begins it, and ends it in the overview', inBrowser, async () => {
  const watched = await signedIn(`/resource?of=${web}`, { token: await all().estate.tokenOf('operator') });
  watched.expect(/status of 4(09|22) /);
  const { page } = watched;
  await page.getByRole('button', { name: /^Patch .*instance\/web$/i }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Fields').fill('size');
  await dialog.getByText('Line 1: write it as field=value').waitFor();
  await dialog.getByLabel('Fields').fill('mode=observe');
  await dialog.getByLabel('Reason').fill('a long night');
  await dialog.getByRole('button', { name: 'Preview' }).click();
  await dialog.getByRole('alert').waitFor();
  await dialog.getByLabel('Fields').fill('size=t3.medium');
  await dialog.getByRole('button', { name: 'Preview' }).click();
  const plan = dialog.getByRole('region', { name: 'Plan of the patch' });
  await plan.getByText('machine.size: t3.small → t3.medium').waitFor();
  await plan.getByText('stops the machine').waitFor();
  await assertNoViolations(watched);
  await dialog.getByLabel('It ends after').selectOption('1 hour');
  await dialog.getByRole('button', { name: 'Preview' }).click();
  await plan.getByText('machine.size: t3.small → t3.medium').waitFor();
  assert.deepEqual((await patches()).length, 0, 'a preview begins nothing');
  await dialog.getByRole('button', { name: 'Begin' }).click();
  await page.getByText('Patched: Instance web').waitFor();
  const [made] = await patches();
  assert.deepEqual(
    [made?.fields, made?.reason],
    [[{ field: 'size', value: 't3.medium', former: 't3.small' }], 'a long night'],
  );
  await page.getByRole('link', { name: 'Overview', exact: true }).click();
  await page.getByRole('button', { name: 'End the patch of Instance web' }).click();
  await dialog.getByLabel('Reason').fill('calm again');
  await page.keyboard.press('Enter');
  await page.getByText('The patch ended').waitFor();
  assert.deepEqual(await patches(), []);
  await assertNoViolations(watched);
  await leave(watched);
});

async function patches(): Promise<readonly Patch[]> {
  const { url, token } = all().estate;
  const answer = await fetch(`${url}/v1/patches`, { headers: { authorization: `Bearer ${token}` } });
  return (await answer.json()).items;
}
