import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CreateTagsCommand, EC2Client } from '@aws-sdk/client-ec2';
import { commandLine, type Said } from '../support/in-process.ts';
import { sandboxed } from '../support/sandboxed.ts';
import { served } from './support/served.ts';

const place = await sandboxed();
const here = commandLine();
const there = await served(here.database);
const store = here.database.connect();
const allow = '--allow-endpoint';
const because = ['--reason', 'a freeze'];
const applied = await here(['apply', place.specs, allow, '--yes']);
assert.equal(applied.code, 0, applied.stderr);

const asked = (args: readonly string[], who = 'operator', says?: string): Promise<Said> =>
  there.ask(here, who)(args, says);

/** Leaves out the actor, the time and the number, which differ each time. */
const timeless = (text: string): string =>
  text
    .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d UTC/g, 'MOMENT')
    .replaceAll(/"(id|at|until|seq)": \d+/g, '"$1": 0')
    .replaceAll(/"actor": "[^"]+"/g, '"actor": ""')
    .replaceAll(/# \S+( \S+ \S+)?, until/g, '# PERSON, until');

/** Options that choose the paused part of the estate. */
const held: readonly (readonly string[])[] = [
  [],
  ['--healing'],
  ['--rollout', '--owner', 'team-web'],
  ['--target', 'aws-prod'],
  ['--address', 'web-0'],
  ['--address', 'instance/web'],
];

describe('pausing and resuming by a server says what it would from here', () => {
  for (const flags of held)
    for (const json of [[], ['--json']])
      test([...flags, ...json].join(' ') || 'all of it', async () => {
        const mine = await here(['pause', place.specs, ...flags, ...because, '--for', '4h', ...json]);
        const over = await here(['resume', place.specs, ...flags, ...because, ...json]);
        assert.deepEqual([mine.code, over.code], [0, 0], mine.stderr + over.stderr);
        const its = await asked(['pause', ...flags, ...because, '--for', '4h', ...json]);
        assert.deepEqual([its.code, timeless(its.stdout)], [0, timeless(mine.stdout)], its.stderr);
        const [pause] = await store.fleet.pauses.active('acme');
        assert.equal(pause?.person, 'operator of acme');
        const end = await asked(['resume', ...flags, ...because, ...json]);
        assert.deepEqual([end.code, timeless(end.stdout)], [0, timeless(over.stdout)], end.stderr);
        assert.deepEqual(await store.fleet.pauses.active('acme'), []);
      });

  for (const json of [[], ['--json']])
    test(['incident', ...json].join(' '), async () => {
      const started = ['--target', 'aws-prod', '--hold', 'healing', ...because, '--for', '4h', ...json];
      const inTurn = async (ask: (args: readonly string[]) => Promise<Said>, folder: readonly string[]) => [
        await ask(['incident', 'start', 'outage', ...folder, ...started]),
        await ask(['incident', 'start', 'outage', ...folder, '--hold-narrowing', ...because, ...json]),
        await ask(['incident', 'list', ...folder, ...json]),
        await ask(['resume', ...folder, '--all', ...because, ...json]),
        await ask(['incident', 'end', 'other', ...folder, ...because, ...json]),
        await ask(['incident', 'end', 'outage', ...folder, ...because, ...json]),
      ];
      const mine = await inTurn(here, [place.specs]);
      const its = await inTurn(asked, []);
      const said = (all: readonly Said[]) =>
        all.map(({ code, stdout, stderr }) => [
          code,
          timeless(stdout).replaceAll(/by [^:]+:/g, 'by PERSON:'),
          code === 0 ? '' : stderr,
        ]);
      assert.deepEqual(said(its), said(mine));
      assert.deepEqual(
        its.map(({ code }) => code),
        [0, 0, 0, 0, 1, 0],
      );
      assert.deepEqual(await store.fleet.pauses.active('acme'), []);
    });

  test('nothing was paused', async () => {
    assert.equal((await asked(['resume', ...because])).stdout, 'Resumed: nothing was paused\n');
  });

  test('a resume of another subject names the active pauses', async () => {
    await asked(['pause', '--healing', ...because]);
    const mine = await here(['resume', place.specs, ...because]);
    const its = await asked(['resume', ...because]);
    assert.deepEqual([its.code, timeless(its.stderr)], [mine.code, timeless(mine.stderr)]);
    assert.match((await asked(['resume', '--all', ...because])).stdout, /^Resumed: healing of the estate \(1 pause/);
  });
});

const scope = 'aws/111122223333/eu-west-1';
const where = { estate: 'acme', scope };
const [web, db] = [`${scope}/instance/web`, `${scope}/instance/db`];

describe('letting go on by a server says what it would from here', () => {
  const { rollouts, quarantine } = store.fleet;
  for (const json of [[], ['--json']]) {
    for (const [named, left] of [
      ['web', [db]],
      [db, [web]],
      ['all', []],
    ] as const)
      test(`resume --rollout-of ${[named, ...json].join(' ')}`, async () => {
        const both = async (ask: (args: readonly string[]) => Promise<Said>, folder: readonly string[]) => {
          for (const document of [web, db])
            await rollouts.stop(where, { document, generation: 1, why: 'web-0 failed' });
          const said = await ask(['resume', ...folder, '--rollout-of', named, ...because, ...json]);
          return { said, left: (await rollouts.stopped(where)).map(({ document }) => document) };
        };
        const mine = await both(here, [place.specs]);
        const its = await both(asked, []);
        assert.equal(its.said.code, 0, its.said.stderr);
        assert.deepEqual([its.said.code, its.said.stdout], [mine.said.code, mine.said.stdout]);
        assert.deepEqual([its.left, mine.left], [left, left]);
        for (const document of left) await rollouts.resume(where, { person: 'ann', reason: 'over' }, document);
      });

    test(['resume --quarantined', ...json].join(' '), async () => {
      await quarantine.put(where, 'x is not a function', 1);
      const mine = await here(['resume', place.specs, '--quarantined', scope, ...because, ...json]);
      await quarantine.put(where, 'x is not a function', 1);
      const its = await asked(['resume', '--quarantined', scope, ...because, ...json]);
      assert.deepEqual([its.code, its.stdout], [0, mine.stdout], its.stderr);
      assert.deepEqual(await quarantine.list(), []);
    });
  }

  test('no rollout was stopped', async () => {
    for (const named of ['all', 'web']) {
      const { code, stdout } = await asked(['resume', '--rollout-of', named, ...because]);
      assert.deepEqual([code, stdout], [0, 'Resumed: no rollout was stopped\n']);
    }
  });

  test('of another rollout than those that stopped there is none', async () => {
    await rollouts.stop(where, { document: web, generation: 1, why: 'web-0 failed' });
    const { code, stderr } = await asked(['resume', '--rollout-of', 'nope', ...because]);
    assert.equal(code, 1);
    assert.match(stderr, /no such resource, or you may not see it/);
    await rollouts.resume(where, { person: 'ann', reason: 'over' });
  });
});

/** A command line against the server as somebody, its exit code, and its text. */
const refused: readonly (readonly [args: readonly string[], who: string, says: RegExp])[] = [
  [['pause', ...because], 'viewer', /does not permit that[\s\S]*the permission operate/],
  [['pause', place.specs, ...because], 'operator', /The folder .* cannot be used with a server/],
  [['pause', '--address', 'nothing', ...because], 'operator', /no such resource, or you may not see it/],
  [['pause', '--owner', 'nobody', ...because], 'operator', /no such resource, or you may not see it/],
  [['resume', '--quarantined', 'x', ...because], 'operator', /no such resource, or you may not see it/],
  [['resume', '--quarantined', 'x', ...because], 'viewer', /does not permit that[\s\S]*the permission operate/],
  [['resume', '--rollout-of', 'all', ...because], 'viewer', /does not permit that[\s\S]*the permission operate/],
  [['approve', '--history', '1234567', ...because], 'approver', /--history cannot be used with a server/],
];

describe('refusals of a server', () => {
  for (const [args, who, says] of refused)
    test(`${args.join(' ').replace(place.specs, 'specs')} of ${who}`, async () => {
      const { code, stdout, stderr } = await asked(
        [...args, '--yes'].slice(0, args[0] === 'approve' ? undefined : -1),
        who,
      );
      assert.deepEqual([code, stdout], [1, ''], stderr);
      assert.match(stderr, says);
    });
});

/** Somebody changes a machine, and we have seen it. */
async function meddle(tier: string): Promise<void> {
  const { scopes } = JSON.parse((await here(['inventory', place.specs, '--kind', 'instance', '--json'])).stdout);
  const client = new EC2Client({ endpoint: place.sandbox.url, region: 'eu-west-1' });
  await client.send(
    new CreateTagsCommand({ Resources: [scopes[0].objects[0].id], Tags: [{ Key: 'tier', Value: tier }] }),
  );
  client.destroy();
  await here(['drift', place.specs, allow]);
}

describe('approving by a server', () => {
  test('shows what it would from here, and asks the same; a no lets nothing pass', async () => {
    await meddle('mine');
    const mine = await here(['approve', place.specs, allow, ...because], 'no\n');
    const its = await asked(['approve', ...because], 'approver', 'no\n');
    assert.deepEqual([its.code, its.stdout], [mine.code, mine.stdout]);
    const known = timeless(its.stderr).replace('The authors of some of these changes are unknown.\n', '');
    assert.equal(known, timeless(mine.stderr).replaceAll(`${place.specs}/`, ''));
    assert.match(its.stderr, /Allow workers to make this change until[\s\S]*Nothing was approved/);
    assert.equal(its.code, 3);
  });

  test('needs its own permission', async () => {
    const { code, stdout, stderr } = await asked(['approve', '--yes', ...because], 'operator');
    assert.deepEqual([code, stdout], [3, '']);
    assert.match(stderr, /Nothing was approved\.\n {2}why: .*the permission approve/);
  });

  test('lets exactly that reconcile, with the words that it would from here', async () => {
    const its = await asked(['approve', '--yes', '--json', ...because], 'approver');
    assert.equal(its.code, 0, its.stderr);
    const [given] = JSON.parse(its.stdout).approvals;
    const [kept] = await store.fleet.approvals.given('acme');
    assert.deepEqual([given.seq, given.actions, given.until], [kept?.seq, kept?.actions, kept?.until]);
    assert.equal(given.actor, 'approver of acme');
    assert.equal(given.reason, 'a freeze');
    assert.deepEqual([given.onStore, given.createCount, given.breakGlass], [false, kept?.creates, undefined]);
    const shown = JSON.parse((await here(['status', place.specs, '--json'])).stdout).scopes[0].approvals;
    assert.deepEqual(
      shown.find(({ seq }: Readonly<Record<string, unknown>>) => seq === given.seq),
      given,
      'as from here',
    );
    await meddle('theirs');
    const text = await asked(['approve', '--yes', '--expires', '2h', ...because], 'approver');
    assert.match(
      text.stdout,
      /^Approved: 1 change of acme · generation 1 · until .* UTC \([\d.]+ \w+\) · digest [0-9a-f]{12}\n {2}aws\/\S+: ledger entry \d+\n/,
    );
  });

  test('says that it passes windows, and in which roles it was given', async () => {
    await meddle('with glass');
    const its = await asked(['approve', '--yes', '--json', '--break-glass', ...because], 'security');
    assert.equal(its.code, 0, its.stderr);
    const [given] = JSON.parse(its.stdout).approvals;
    assert.deepEqual([given.breakGlass, given.roles, given.onStore], [true, ['security'], false]);
  });

  test('an approval is withdrawn with the words that it would be from here', async () => {
    const withdrawn = async (ask: (args: readonly string[]) => Promise<Said>, folder: readonly string[]) => {
      await meddle(`once more, ${folder.length}`);
      await here(['approve', place.specs, allow, '--yes', ...because]);
      const newest = (await store.fleet.approvals.active(where)).at(-1)?.seq ?? -1;
      const said = await ask(['withdraw', String(newest), ...folder, ...because]);
      assert.equal(said.code, 0, said.stderr);
      return said.stdout.replace(/\d+\)/, 'N)').replace(/ by .* \(/, ' by somebody (');
    };
    const mine = await withdrawn(here, [place.specs]);
    assert.equal(await withdrawn((args) => asked(args, 'approver'), []), mine);
    const other = await asked(['withdraw', '1', ...because], 'approver');
    assert.deepEqual([other.code, other.stdout], [1, '']);
    assert.match(other.stderr, /no such resource, or you may not see it/);
  });

  test('a refusal is told as it would be from here, and each side sees the other’s', async () => {
    await meddle('refused');
    const refused = async (ask: (args: readonly string[]) => Promise<Said>, rest: readonly string[]) => {
      const said = await ask(['approve', '--refuse', '--yes', ...rest, ...because]);
      assert.equal(said.code, 0, said.stderr);
      return said.stdout.replace(/entry \d+/, 'entry N');
    };
    const mine = await refused(here, [place.specs, allow]);
    assert.equal(await refused((args) => asked(args, 'approver'), []), mine);
    const [local, its] = [
      await here(['approve', place.specs, allow, ...because], 'no\n'),
      await asked(['approve', ...because], 'approver', 'no\n'),
    ];
    for (const { stderr } of [local, its])
      assert.match(stderr, /! refused by \S+: a freeze\n {2}! refused by approver of acme: a freeze\nDigest/);
    const none = await asked(['approve', '--refuse', '--yes', ...because], 'operator');
    assert.deepEqual([none.code, none.stdout], [3, '']);
    assert.match(none.stderr, /Nothing was refused\.\n {2}why: .*the permission approve/);
  });

  test('nothing where nothing waits, and not what was shown with another digest', async () => {
    const other = await asked(['approve', '--yes', '--digest', 'a'.repeat(12), ...because], 'approver');
    assert.equal(other.code, 3);
    assert.match(other.stderr, /The pending actions have changed since that digest/);
  });
});
