import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DescribeSecurityGroupsCommand, EC2Client } from '@aws-sdk/client-ec2';
import { aws } from '../../../../providers/aws/index.ts';
import { account, openAwsStage, region } from '../../../support/aws-session.ts';
import { group, network, rule } from '../../../support/engine-world/documents.ts';
import { engineWorld } from '../../../support/engine-world/engine-world.ts';

async function world() {
  const stage = await openAwsStage();
  // why: it brings the keys that the sandbox knows
  await stage.open();
  const here = { metadata: { name: 'here' }, spec: { provider: 'aws', account, region } };
  const engine = engineWorld({ provider: aws, here, quietMs: 600_000 }, stage);
  const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'not-a-secret' };
  const client = new EC2Client({ endpoint: stage.sandbox.url, region, credentials, maxAttempts: 1 });
  return {
    apply: async (documents: readonly object[]) => {
      const { outcome, writes, left } = await engine.apply(documents);
      // why: the VPC's own default group and its rules
      return { outcome, writes, left: left.filter((one) => !one.startsWith('unmanaged sg-')) };
    },
    /** The group by this name: its description and people's tags. */
    seen: async (name: string) => {
      const Filters = [{ Name: 'group-name', Values: [name] }];
      const { SecurityGroups } = await client.send(new DescribeSecurityGroupsCommand({ Filters }));
      const tags = (SecurityGroups?.[0]?.Tags ?? []).map(({ Key, Value }) => `${Key}=${Value}`);
      return [SecurityGroups?.[0]?.Description, ...tags.filter((tag) => !tag.startsWith('setpoint')).toSorted()];
    },
    [Symbol.asyncDispose]: async () => {
      client.destroy();
      await engine[Symbol.asyncDispose]();
    },
  };
}

const core = network({ internet: 'unmanaged', allGroup: false, subnets: [] }, { labels: { team: 'net' } });
const https = rule('https');

test('a document for a group that a rule names changes nothing, and its removal neither', async () => {
  await using here = await world();
  await here.apply([core, https]);
  for (const documents of [
    [core, https, group('web')],
    [core, https],
  ]) {
    const { outcome, writes, left } = await here.apply(documents);
    assert.deepEqual([outcome, writes, left], ['done', [], []]);
  }
});

test('a group that only its document asks for has the name, description and labels of it', async () => {
  await using here = await world();
  const web = group('web', { names: { here: 'web servers' }, description: 'of the shop' }, { labels: { tier: 'web' } });
  const made = await here.apply([core, web]);
  assert.deepEqual([made.outcome, made.left], ['done', []]);
  assert.deepEqual(await here.seen('web servers'), ['of the shop', 'Name=web servers', 'tier=web']);
  const again = await here.apply([core, https, web]);
  assert.deepEqual([again.left, again.writes], [[], ['AuthorizeSecurityGroupIngress 200']]);
  const undocumented = await here.apply([core, https]);
  assert.deepEqual(undocumented.left, []);
  assert.deepEqual(await here.seen('web servers'), ['of the shop', 'Name=core-web', 'team=net']);
});

test('another name or description of a group that stands is blocked, and writes nothing', async () => {
  await using here = await world();
  await here.apply([core, https]);
  for (const spec of [{ names: { here: 'web servers' } }, { description: 'of the shop' }]) {
    const { writes, left } = await here.apply([core, https, group('web', spec)]);
    assert.deepEqual([writes, left], [[], ['blocked immutable group/core.web']]);
  }
  const same = group('web', { names: { here: 'Core-Web' }, description: 'Setpoint group core-web' });
  const { writes, left } = await here.apply([core, https, same]);
  assert.deepEqual([writes, left], [[], []], 'AWS tells no case apart');
});

test('a document keeps its group, though its network lets groups go', async () => {
  await using here = await world();
  const lax = { ...core, spec: { ...core.spec, deletionPolicy: 'delete' } };
  await here.apply([lax, https, group('web', { deletionPolicy: 'retain' })]);
  const kept = await here.apply([lax]);
  assert.match(kept.left.join(), /^orphan sg-\w+$/);
  await here.apply([lax, group('db')]);
  const gone = await here.apply([lax]);
  assert.deepEqual(
    gone.writes.filter((write) => write.startsWith('Delete')),
    ['DeleteSecurityGroup 200'],
  );
});
