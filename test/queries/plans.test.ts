import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { limits } from '../../src/source/limits.ts';
import { bringIn, inForce, labelled } from './support/change.ts';
import { planOf, post, postPlan, specsOf } from './support/posted.ts';

describe('a plan of posted specs', () => {
  it('says what they would do, beside what is in force, and changes nothing', async () => {
    const world = await inForce();
    const calls = world.cloud.history.calls.length;
    const { status, body, text, headers } = await post(world, specsOf(labelled('b')));
    assert.equal(status, 201, text);
    const plan = planOf(body);
    assert.deepEqual(
      [plan.of, plan.summary.update, plan.generation, plan.beside, plan.stale, plan.observed.complete],
      ['posted', 1, 2, 1, false, true],
    );
    assert.deepEqual(plan.actions[0]?.documents[0]?.file, 'all.yaml');
    assert.equal(Date.parse(plan.expiresAt) - world.clock.now(), 7 * 86_400_000);
    assert.equal(headers['location'], `/v1/plans/${plan.id}`);
    assert.equal(world.cloud.history.calls.length, calls);
    assert.equal((await world.store.generations.current('acme'))?.number, 1);
  });

  it('is read again, and is stale once other specs are in force', async () => {
    const world = await inForce();
    const id = await postPlan(world, 'ada');
    assert.equal(planOf((await world.api.ask('bob', `GET /v1/plans/${id}`)).body).stale, false);
    await bringIn(world, labelled('c'), undefined);
    assert.equal(planOf((await world.api.ask('bob', `GET /v1/plans/${id}`)).body).stale, true);
  });

  it('of specs that are not sound is refused with the file, line and column of each error', async () => {
    const { status, text } = await post(await inForce(), [
      { path: 'web.yaml', text: 'apiVersion: setpoint.dev/v1\nkind: Netwrk\n' },
    ]);
    assert.equal(status, 422);
    const { problems } = JSON.parse(text);
    assert.ok(
      problems.some(({ file, line }: { file: string; line: number }) => file === 'web.yaml' && line === 2),
      JSON.stringify(problems),
    );
  });

  it('is asked for with specs, or of what is in force, and not both', async () => {
    const world = await inForce();
    assert.equal((await world.api.ask('ada', 'POST /v1/plans', { body: {} })).status, 400);
    assert.equal((await post(world, specsOf(labelled('b')), { inForce: true })).status, 400);
    const { status, body } = await world.api.ask('ada', 'POST /v1/plans', { body: { inForce: true } });
    assert.deepEqual([status, planOf(body).of, planOf(body).generation], [201, 'in-force', 1]);
  });
});

describe('a path of posted specs', () => {
  it('lies no deeper than in any tree of specs: what does is refused before a folder of it is made', async () => {
    const world = await inForce();
    const [spec] = specsOf(labelled('b'));
    const at = (path: string) => [{ ...spec, path }];
    const deepest = `${'a/'.repeat(limits.folderDepth)}all.yaml`;
    assert.equal((await post(world, at(deepest))).status, 201);
    const deep = (name: string): string => `${'a/'.repeat(490)}${name}`;
    const script = { path: deep('up.sh'), base64: '' };
    const refused = [
      await post(world, at(`a/${deepest}`)),
      await post(world, at(deep('all.yaml'))),
      await post(world, at('all.yaml'), { userData: [script] }),
      ...(await Promise.all(['/all.yaml', 'a//all.yaml', 'a/'].map((path) => post(world, at(path))))),
    ];
    assert.deepEqual(
      refused.map(({ status }) => status),
      refused.map(() => 400),
    );
    assert.match(
      refused[0]?.text ?? '',
      /"at":"specs\[0\]\.path","expected":"names parted by \/, in at most 16 folders"/,
    );
  });
});
