import assert from 'node:assert/strict';
import { type IpPermission, StopInstancesCommand, TerminateInstancesCommand } from '@aws-sdk/client-ec2';
import { rulesOf } from '../colleague-rules.ts';
import type { Life } from '../life.ts';
import { unchanged } from './create.ts';

const tcp = (port: number, peer: Omit<IpPermission, 'IpProtocol' | 'FromPort' | 'ToPort'>): IpPermission => ({
  IpProtocol: 'tcp',
  FromPort: port,
  ToPort: port,
  ...peer,
});

export async function healsEditsOfAnSdk(life: Life): Promise<void> {
  const { colleague, sees } = life;
  const { client, group, machines, rules } = colleague;
  const before = await stateOf(life);
  const [[tagged, stopped], [ended]] = [await machines('web'), await machines('db')];
  assert.ok(tagged && stopped && ended);

  await rules.add('core-web', tcp(22, { IpRanges: [{ CidrIp: '0.0.0.0/0' }] }));
  await rules.remove('core-db', tcp(5432, { UserIdGroupPairs: [{ GroupId: await group('core-web') }] }));
  const office = { CidrIp: '203.0.113.0/24', Description: 'nobody knows' };
  await rules.describe('core-all', tcp(22, { IpRanges: [office] }));
  await colleague.tag(tagged.id, 'tier', 'toms');
  await client.send(new StopInstancesCommand({ InstanceIds: [stopped.id] }));
  await client.send(new TerminateInstancesCommand({ InstanceIds: [ended.id] }));

  // A rule that was seen standing is no late one: it is drift as soon as two reads by id say that it is gone.
  await sees(['drift', '--detailed-exitcode'], {
    code: 2,
    shows: [
      /^Drift: 6 changes/m,
      /- ingress tcp 22 from 0\.0\.0\.0\/0 to core\.web/,
      /\+ ingress tcp 5432 from core\.web to core\.db/,
      /ingress tcp 22 from 203\.0\.113\.0\/24 to core\.all: ~ description {2}nobody knows → the office/,
      /~ labels\.tier {2}toms → web/,
      /~ machine\.power {2}stopped → running/,
      /\+ instance db-0 {2}! drifted/,
    ],
    never: [/blocked/, /spare/, /replace/],
  });
  await sees(['apply', '--yes'], { code: 0, shows: [/^Applied: 2 added, 3 changed, 0 replaced, 1 deleted/] });
  assert.deepEqual(await stateOf(life), before);
  await sees(['plan', '--detailed-exitcode'], { code: 0, shows: [unchanged] });
}

/** As the first: what a second client spells differently is the same to us. */
export async function healsEditsAtAPrompt(life: Life): Promise<void> {
  const { cli, colleague, sees, workplace } = life;
  if (cli === undefined) {
    process.stdout.write('    (no aws command line works on this machine; nothing was edited with it)\n');
    return;
  }
  const before = await stateOf(life);
  const web = await colleague.group('core-web');
  const [tagged, stopped] = await colleague.machines('web');
  assert.ok(tagged && stopped);
  const open = ['--group-id', web, '--protocol', '6', '--port', '8080', '--cidr', '198.51.100.0/24'];
  await cli.ec2('authorize-security-group-ingress', ...open);
  const dns = JSON.stringify([{ IpProtocol: 'udp', FromPort: 53, ToPort: 53, IpRanges: [{ CidrIp: '10.30.0.2/32' }] }]);
  await cli.ec2('revoke-security-group-egress', '--group-id', web, '--ip-permissions', dns);
  await cli.ec2('delete-tags', '--resources', tagged.id, '--tags', 'Key=tier');
  await cli.ec2('stop-instances', '--instance-ids', stopped.id);

  workplace.later(10);
  await sees(['drift', '--detailed-exitcode'], {
    code: 2,
    shows: [
      /^Drift: 4 changes/m,
      /- ingress tcp 8080 from 198\.51\.100\.0\/24 to core\.web/,
      /\+ egress udp 53 from core\.web to 10\.30\.0\.2\/32/,
      /\+ labels\.tier {2}web/,
      /~ machine\.power {2}stopped → running/,
    ],
    never: [/blocked/],
  });
  await sees(['apply', '--yes'], { code: 0, shows: [/^Applied: 1 added, 2 changed, 0 replaced, 1 deleted/] });
  assert.deepEqual(await stateOf(life), before);
  await sees(['plan', '--detailed-exitcode'], { code: 0, shows: [unchanged] });
}

/** Rules, descriptions, powers and sizes as the cloud has them; ids apart, as one machine is made again. */
async function stateOf({ colleague }: Life): Promise<object> {
  const machines = async (tier: string) =>
    (await colleague.machines(tier)).map(({ state, size }) => `${state} ${size}`);
  return {
    all: await rulesOf('core-all', colleague),
    web: await rulesOf('core-web', colleague),
    db: await rulesOf('core-db', colleague),
    machines: [await machines('web'), await machines('db'), await machines('spare')],
  };
}
