import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aws } from '../../../../providers/aws/index.ts';
import { account, openAwsStage, region } from '../../../support/aws-session.ts';
import { machineIn } from '../../../support/engine-world/documents.ts';
import { engineWorld } from '../../../support/engine-world/engine-world.ts';
import { failsBirths } from '../../../support/engine-world/laws.ts';

test('a machine that dies at boot is a failed birth', async () => {
  const stage = await openAwsStage();
  // why: it brings the keys that the sandbox knows
  await stage.open();
  const here = { metadata: { name: 'here' }, spec: { provider: 'aws', account, region } };
  await using world = engineWorld({ provider: aws, here, quietMs: 600_000 }, stage);
  const id = 'ami-0abc0abc0abc0abc0';
  const machine = machineIn({ image: id, size: 't3.small' });
  await failsBirths(world, machine('web', { replicas: 5 }), {
    doom: ({ control }) => {
      const { images } = control.ec2.region(account, region);
      images.put({ ...(images.get(id) ?? assert.fail(`there is no ${id}`)), broken: { diesAfterMs: 20_000 } });
    },
    ending: /Client\.InternalError/,
    launch: 'RunInstances',
  });
});
