import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aws } from '../../../../providers/aws/index.ts';
import { taggables } from '../../../../sandbox/ec2/actions/tag.ts';
import type { Sandbox } from '../../../../sandbox/index.ts';
import { account, openAwsStage, region } from '../../../support/aws-session.ts';
import { machineIn, network, rule } from '../../../support/engine-world/documents.ts';
import { engineWorld } from '../../../support/engine-world/engine-world.ts';

const machine = machineIn({ image: 'ami-0abc0abc0abc0abc0', size: 't3.small' });

interface Deletions {
  sent: number;
  readonly dropped: string[];
  readonly needless: string[];
}

/** The keys that each DeleteTags names, and those among them that an object does not carry: `i-1 setpoint:first`. */
function watchDeletions({ control: { ec2, log } }: Sandbox) {
  const here = ec2.region(account, region);
  const keysNow = () =>
    new Map(
      taggables(here).flatMap(({ table }) => [...table.values()].map(({ id, tags }) => [id, new Set(tags.keys())])),
    );
  let before = keysNow();
  const seen: Deletions = { sent: 0, dropped: [], needless: [] };
  log.watch(({ action, params }) => {
    const named = (list: string) =>
      Object.entries(params).flatMap(([name, value]) => (name.startsWith(list) ? [value] : []));
    if (action === 'DeleteTags') {
      seen.sent += 1;
      for (const id of named('ResourceId.'))
        for (const key of named('Tag.'))
          (before.get(id)?.has(key) ? seen.dropped : seen.needless).push(`${id.replace(/-.*/, '')} ${key}`);
    }
    before = keysNow();
  });
  return () => {
    const { sent, dropped, needless } = seen;
    Object.assign(seen, { sent: 0, dropped: [], needless: [] });
    return { sent, dropped: dropped.toSorted(), needless: needless.toSorted() };
  };
}

async function world() {
  const stage = await openAwsStage();
  // why: it brings the keys that the sandbox knows
  await stage.open();
  const here = { metadata: { name: 'here' }, spec: { provider: 'aws', account, region } };
  const engine = engineWorld({ provider: aws, here, quietMs: 600_000 }, stage);
  return { engine, deletions: watchDeletions(stage.sandbox) };
}

/** Two machines of one launch, and one of another: all carry the ordinal that their launch began with. */
const estate = (labels: Readonly<Record<string, string>>, deletionPolicy: string) => {
  const metadata = { labels };
  const spec = { deletionPolicy };
  return [
    network(spec, metadata),
    rule('https'),
    machine('web', { ...spec, replicas: 2 }, metadata),
    machine('db', spec, metadata),
  ];
};

test('DeleteTags names only keys that the object carries', async () => {
  const { engine, deletions } = await world();
  await using applied = engine;
  const quiet = { sent: 0, dropped: [], needless: [] };
  const steps = [
    ['created', { tier: 'a', old: 'x' }, 'retain', quiet],
    ['created, and complete', { tier: 'a', old: 'x' }, 'retain', quiet],
    ['nothing changed', { tier: 'a', old: 'x' }, 'retain', quiet],
    ['a value of a label changed', { tier: 'b', old: 'x' }, 'retain', quiet],
    ['a label was added', { tier: 'b', old: 'x', more: 'y' }, 'retain', quiet],
    ['marks changed', { tier: 'b', old: 'x', more: 'y' }, 'delete', undefined],
    ['marks changed again', { tier: 'b', old: 'x', more: 'y' }, 'retain', quiet],
    ['a mark and a label changed', { tier: 'c', old: 'x', more: 'y' }, 'delete', quiet],
  ] as const;
  for (const [name, labels, policy, want] of steps) {
    const { outcome } = await applied.apply(estate(labels, policy));
    assert.equal(outcome, 'done', name);
    const { sent, dropped, needless } = deletions();
    assert.deepEqual(needless, [], name);
    if (want) assert.deepEqual({ sent, dropped, needless }, want, name);
    // why: three machines with a disk and an interface each
    else
      assert.deepEqual(
        dropped,
        Array.from({ length: 3 }, () => ['eni', 'i', 'vol'])
          .flat()
          .map((one) => `${one} setpoint:first`)
          .toSorted(),
        name,
      );
  }
  await applied.apply(estate({ tier: 'c', more: 'y' }, 'delete'));
  const { dropped, needless } = deletions();
  assert.deepEqual(needless, []);
  assert.deepEqual([...new Set(dropped.map((one) => one.replace(/^\S+ /, '')))], ['old']);
});
