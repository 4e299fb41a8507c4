import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EC2Client, RunInstancesCommand } from '@aws-sdk/client-ec2';
import { aws } from '../../../../providers/aws/index.ts';
import { account, openAwsStage, region } from '../../../support/aws-session.ts';
import { machineIn, network } from '../../../support/engine-world/documents.ts';
import { engineWorld } from '../../../support/engine-world/engine-world.ts';

const image = 'ami-0abc0abc0abc0abc0';
const machine = machineIn({ image, size: 't3.small', minReady: 0, groups: [] });

/** A network of ours, and in it a machine that a colleague launched with a volume for data. */
async function withPet(DeleteOnTermination: boolean) {
  await using stack = new AsyncDisposableStack();
  const stage = await openAwsStage();
  // why: it brings the keys that the sandbox knows
  await stage.open();
  const here = { metadata: { name: 'here' }, spec: { provider: 'aws', account, region } };
  const engine = stack.use(engineWorld({ provider: aws, here, quietMs: 600_000 }, stage));
  const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'not-a-secret' };
  const client = new EC2Client({ endpoint: stage.sandbox.url, region, credentials, maxAttempts: 1 });
  stack.defer(() => client.destroy());
  const ground = network();
  await engine.apply([ground]);
  const idOf = async (address: string): Promise<string> => {
    const { settled } = await engine.knowledge();
    return [...settled].find(([, one]) => one.address.endsWith(address))?.[0] ?? assert.fail(address);
  };
  const launched = await client.send(
    new RunInstancesCommand({
      ...{ ImageId: image, InstanceType: 't3.small', MinCount: 1, MaxCount: 1 },
      SubnetId: await idOf('/subnet/core.app'),
      SecurityGroupIds: [await idOf('/group/core.all')],
      BlockDeviceMappings: [{ DeviceName: '/dev/sdf', Ebs: { VolumeSize: 50, DeleteOnTermination } }],
    }),
  );
  const { InstanceId: id = '', BlockDeviceMappings = [], RootDeviceName } = launched.Instances?.[0] ?? {};
  const place = stage.sandbox.control.ec2.region(account, region);
  const volume =
    [...place.volumes.values()].find(
      ({ attachment }) => attachment?.instanceId === id && attachment.device !== RootDeviceName,
    )?.id ?? assert.fail(JSON.stringify(BlockDeviceMappings));
  const owned = stack.move();
  return {
    ...{ engine, ground, id },
    hasVolume: () => place.volumes.get(volume) !== undefined,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

for (const deleted of [true, false])
  test(`a machine with a data volume (DeleteOnTermination ${deleted}): no plan loses the volume`, async () => {
    await using pet = await withPet(deleted);
    const documents = (spec: Readonly<Record<string, unknown>>) => [
      pet.ground,
      machine('web', spec, { adopt: { here: pet.id } }),
    ];
    assert.deepEqual(ours((await pet.engine.apply(documents({}))).left), []);
    const replaced = await pet.engine.apply(documents({ image: 'ami-0abcdef1234567890' }));
    assert.deepEqual([replaced.writes, ours(replaced.left)], [[], ['blocked immutable instance/web-0']]);
    const scaled = await pet.engine.apply([pet.ground, machine('web', { replicas: 0 })]);
    assert.deepEqual(
      [scaled.writes, ours(scaled.left)],
      deleted ? [[], ['withheld data-disks instance/web-0']] : [['TerminateInstances 200'], []],
    );
    assert.ok(pet.hasVolume(), 'the volume stands');
  });

/** Without the default group of the network, which is nobody's. */
const ours = (left: readonly string[]): readonly string[] => left.filter((one) => !one.startsWith('unmanaged '));
