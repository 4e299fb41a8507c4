import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import type { Fleet, Scope } from '../src/api.d.ts';
import { hostile } from './support/estate.ts';
import { all, assertNoViolations, inBrowser, leave, signedIn } from './support/suite.ts';

afterEach(() => {
  if (inBrowser.skip === false) all().gateway.mend();
});

test('fleet: a held scope says what it waits for, and each task has its worker', inBrowser, async () => {
  const watched = await signedIn('/fleet');
  const { page } = watched;
  const work = page.getByRole('table', { name: 'Work', exact: true });
  await work.waitFor();
  const text = await work.innerText();
  for (const said of [/aws\/111122223333\/eu-west-1/, /Held/, /1 change withheld on aws: mode/, /setpoint approve/])
    assert.match(text, said);
  assert.match(await page.getByRole('table', { name: 'Tasks of one process' }).innerText(), /Signer[\s\S]*worker@/);
  assert.match(await page.getByRole('table', { name: 'Sources' }).innerText(), /specs\s+followed\s+folder:/);
  assert.match(await page.getByRole('table', { name: 'Workers', exact: true }).innerText(), /worker@.* ago/);
  await page.getByText(/\d+ (is|are) full/).click();
  assert.match(await page.getByRole('table', { name: 'Full rate limits' }).innerText(), /DescribeVpcs\s+81 of 81/);
  assert.equal(await page.title(), 'Fleet · Setpoint');
  await assertNoViolations(watched);
  await page.getByRole('link', { name: 'aws', exact: true }).press('Enter');
  await page.waitForURL(/\/inventory\?target=aws/);
  await leave(watched);
});

test('fleet: a reconcile shows without a reload', inBrowser, async () => {
  const watched = await signedIn('/fleet');
  const { page } = watched;
  const last = page.getByRole('table', { name: 'Work', exact: true }).locator('td').last().locator('time');
  await page.locator('.live-live').waitFor();
  const before = (await last.getAttribute('datetime')) ?? '';
  assert.ok(Date.parse(before) > 0, before);
  await all().estate.reconcile();
  const deadline = Date.now() + 25_000;
  while ((await last.getAttribute('datetime')) === before && Date.now() < deadline) await page.waitForTimeout(100);
  assert.ok(Date.parse((await last.getAttribute('datetime')) ?? '') > Date.parse(before));
  await leave(watched);
});

const at = new Date().toISOString();
const waiting: Scope = {
  ...{ scope: `aws/1/${hostile}`, provider: 'aws', targets: [hostile], criticality: 'high', everySeconds: 90 },
  ...{ state: 'waiting', lease: { worker: hostile, since: at } },
  waitsFor: [
    { type: 'lease', worker: hostile, since: at },
    { type: 'retry', failures: 2, since: at },
    { type: 'rate-limit', key: 'aws/1/RunInstances', since: at },
    { type: 'withheld-total', count: 1200 },
  ],
};
const busy: Fleet = {
  estate: 'acme',
  scopes: { running: 0, waiting: 1, held: 0, idle: 0 },
  note: 'This version of Setpoint cannot open the active specs: a new field',
  workers: {
    known: true,
    items: [{ worker: hostile, state: 'working', lastSeenAt: at, scopes: [{ scope: 'aws/1/eu', since: at }] }],
  },
  queue: { known: false, note: 'This process cannot read the queue now: ask a worker.', items: [] },
  rateLimits: {
    known: true,
    items: [
      {
        key: 'aws/1/RunInstances',
        remaining: 0,
        units: 5,
        perSecond: 0.5,
        slowedUntil: at,
        waiting: { units: 3, since: at },
      },
    ],
  },
  tasks: [{ task: 'signer' }],
  sources: [{ source: hostile, state: 'broken', reason: 'no document', since: at }],
  pin: { revision: 'git:abc', actor: 'eve', reason: 'an incident', at },
};

test(
  'fleet: a waiting scope, a spent budget and an unknown queue, with hostile names as texts',
  inBrowser,
  async () => {
    for (const options of [{}, { viewport: { width: 390, height: 844 }, colorScheme: 'dark' as const }]) {
      const watched = await signedIn('/inventory', options);
      const { page } = watched;
      await page.route('**/v1/fleet*', (asked) => asked.fulfill({ json: busy }));
      await page.route('**/v1/scopes*', (asked) =>
        asked.fulfill({ json: { items: asked.request().url().includes('idle') ? [] : [waiting] } }),
      );
      await page.goto(`${all().gateway.url}/fleet`);
      await page.getByText('Not known here').waitFor();
      const { x, width } = (await page.getByRole('link', { name: 'Fleet', exact: true }).boundingBox()) ?? {
        x: -1,
        width: 0,
      };
      const nav = (await page.locator('.top nav').boundingBox()) ?? { x: 0, width: 0 };
      assert.ok(
        x >= nav.x && x + width <= nav.x + nav.width + 1,
        `the link of the screen is in view: ${x} of ${nav.x}`,
      );
      const text = await page.locator('main').innerText();
      for (const said of [
        /Scopes: 1 waiting/,
        /after 2 failures/,
        /0 of 5/,
        /0\.5 per second at full speed/,
        /for 3 units/,
        /Nobody now/,
        /broken/,
        /Pinned at git:abc by eve/,
        /No scope is idle/,
        /In all, 1200 changes are withheld there/,
        /cannot open the active specs/,
      ])
        assert.match(text, said);
      assert.ok(text.includes(hostile.slice(0, 40)));
      assert.equal(await page.evaluate(() => 'hostile' in window), false, 'no part of it ran');
      await assertNoViolations(watched);
      await page.unrouteAll({ behavior: 'wait' });
      await leave(watched);
    }
  },
);

test('fleet: a partial grant is told so; refusals are said in words', inBrowser, async () => {
  const { estate, gateway } = all();
  const limited = await signedIn('/fleet', { token: await estate.tokenOf('viewer', '--owner', 'team-net') });
  await limited.page.getByText('You see the scopes of which your grant covers a whole target').waitFor();
  await limited.page.getByText('No scope waits, runs or is held.').waitFor();
  assert.equal(await limited.page.getByText('worker@').count(), 0);
  await assertNoViolations(limited);
  await leave(limited);
  const watched = await signedIn('/fleet', { viewport: { width: 640, height: 400 } });
  watched.expect(/(403|409) .*\/v1\/(fleet|scopes)/);
  const { page } = watched;
  await page.getByRole('table', { name: 'Work', exact: true }).waitFor();
  await assertNoViolations(watched);
  gateway.refuse('/v1/fleet', 403);
  gateway.refuse('/v1/scopes', 409);
  await page.reload();
  await page.getByText('You may not see the fleet').waitFor();
  await page.getByText('Refused with 409').first().waitFor();
  await assertNoViolations(watched);
  await leave(watched);
});
