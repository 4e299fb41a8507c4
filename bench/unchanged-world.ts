import { join } from 'node:path';
import {
  AuthorizeSecurityGroupIngressCommand,
  CreateSecurityGroupCommand,
  CreateTagsCommand,
  EC2Client,
  RunInstancesCommand,
} from '@aws-sdk/client-ec2';
import { z } from 'zod';
import type { Region } from '../sandbox/ec2/region.ts';
import { type Sandbox, startSandbox } from '../sandbox/index.ts';
import { bootScript, type Place, specFiles } from './estate/specs.ts';
import { unowned } from './estate/unowned.ts';
import { type Figure, type Spoil, spoilNothing } from './figure.ts';
import { inScratch, writeFiles } from './processes/scratch.ts';
import { expectCode, planned, setpoint } from './processes/setpoint.ts';

const account = '111122223333';
const region = 'eu-west-1';

/**
 * A plan is kept, the world moves on, the kept plan is applied: 100 changes that have nothing to do with it do not matter,
 * and with one that has, only the action concerned is refused, by name. Counts the actions of which that was not so.
 * Asked: 0.
 */
export async function unchangedWorld(changes = 100, spoil: Spoil = spoilNothing): Promise<readonly Figure[]> {
  const sandbox = await startSandbox({ clock: { rate: 60 }, budgets: false, estate: unowned(account, region) });
  try {
    const world = sandbox.control.ec2.region(account, region);
    const wrong = await inScratch((cwd) =>
      withEditor(sandbox.url, world, async (hand) => {
        const scene: Scene = { sandbox, cwd, hand, spoil };
        const unrelated = await wrongAfter(scene, { version: 1, changes, related: false });
        return unrelated + (await wrongAfter(scene, { version: 2, changes, related: true }));
      }),
    );
    return [{ name: 'unchanged-world', value: wrong, unit: 'actions wrongly refused or applied', floor: 0 }];
  } finally {
    await sandbox.close();
  }
}

interface Scene {
  readonly sandbox: Sandbox;
  readonly cwd: string;
  readonly hand: Editor;
  readonly spoil: Spoil;
}

interface Round {
  readonly version: number;
  readonly changes: number;
  readonly related: boolean;
}

const file = 'next.plan';

async function wrongAfter(scene: Scene, { version, changes, related }: Round): Promise<number> {
  await settle(scene, version - 1);
  await write(scene, version);
  const kept = addressesOf(await run(scene, 'plan', '--json', '--out', file));
  await touchUnrelated(scene.hand, changes, version);
  const concerned = related ? await touchRelated(scene.hand) : undefined;
  await scene.spoil(scene.sandbox.control);
  const before = addressesOf(await run(scene, 'plan', '--json'));
  scene.sandbox.control.log.clear();
  const ended = await run(scene, 'apply', '--json', '--plan', file);
  if (ended.code !== 3) expectCode(ended, 0, `setpoint apply --plan with ${changes} changes in between`);
  const touched = foreignTouched(scene);
  const after = new Set(addressesOf(await run(scene, 'plan', '--json')));
  const expected = kept.filter((address) => concerned === undefined || !address.endsWith(concerned));
  const named = refusedBy(ended.stdout);
  const wrong = {
    refused: expected.filter((address) => after.has(address)),
    applied: before.filter((address) => !expected.includes(address) && !after.has(address)),
    named: named.filter((address) => concerned === undefined || !address.endsWith(concerned)),
    unnamed: kept.filter((address) => !expected.includes(address) && !named.includes(address)),
    touched,
  };
  console.error(
    `unchanged-world: ${kept.length} actions kept, ${changes} changes, ${expected.length} applied, refused: ${named.join(', ') || 'none'}`,
  );
  const all = new Set(Object.values(wrong).flat());
  if (all.size > 0) console.error(`unchanged-world: ${JSON.stringify(wrong)}`);
  return all.size;
}

/** All is as these specs say, whatever was done by hand. */
async function settle(scene: Scene, version: number): Promise<void> {
  await write(scene, version);
  expectCode(await run(scene, 'apply', '--yes', '--allow-deletes', '1000'), 0, 'setpoint apply');
}

/** Each version adds a subnet, a group, rules and machines, and changes a label of the first document of machines. */
async function write({ sandbox, cwd }: Scene, version: number): Promise<void> {
  const place: Place = { account, region, endpoint: sandbox.url, image: 'ami-0abcdef1234567890' };
  const machines = { documents: 2, replicas: 2 + version, furnished: true };
  const many = { subnets: 2 + version, groups: 2 + version, rulesPerGroup: 2 + 2 * version };
  const shape = { networks: 1, ...many, machines, internet: true };
  const files = specFiles(shape, place).map(({ path, text }) => ({
    path,
    text: text.replace('labels: { tier: web }', `labels: { tier: web-${version} }`),
  }));
  await writeFiles(join(cwd, 'specs'), [...files, bootScript]);
}

const run = ({ cwd }: Scene, verb: string, ...options: readonly string[]) =>
  setpoint([verb, '--allow-endpoint', ...options], { cwd });

const addressesOf = (ended: Awaited<ReturnType<typeof setpoint>>): readonly string[] =>
  planned(expectCode(ended, 0, 'setpoint plan')).actions.map(({ address }) => address);

const outcome = z.object({ refused: z.array(z.object({ address: z.string() })) });

const refusedBy = (stdout: string): readonly string[] =>
  outcome.parse(JSON.parse(stdout)).refused.map(({ address }) => address);

/** Ids of unmanaged objects that a mutating call named. */
function foreignTouched({ sandbox: { control }, hand }: Scene): readonly string[] {
  const named = new Set(control.log.entries({ mutating: true }).flatMap(({ params }) => Object.values(params)));
  return foreignIds(hand.region).filter((id) => named.has(id));
}

/** Somebody at the same account, and the account as it truly is, to find what to touch. */
interface Editor {
  readonly client: EC2Client;
  readonly region: Region;
}

async function withEditor<T>(url: string, region: Region, work: (hand: Editor) => Promise<T>): Promise<T> {
  const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'not-a-secret' };
  const client = new EC2Client({ region: region.name, endpoint: url, credentials, maxAttempts: 1 });
  try {
    return await work({ client, region });
  } finally {
    client.destroy();
  }
}

interface Tagged {
  readonly id: string;
  readonly tags: ReadonlyMap<string, string>;
}

const isOurs = ({ tags }: Tagged): boolean => tags.has('setpoint:estate');
const foreign = (records: Iterable<Tagged>): readonly string[] =>
  [...records].filter((one) => !isOurs(one)).map(({ id }) => id);

/** Everything in the account that is nobody's or another's. */
const foreignIds = ({ vpcs, subnets, groups, instances }: Region): readonly string[] =>
  [vpcs, subnets, groups, instances].flatMap((table) => foreign(table.values()));

/** In turn, as often as asked: each is something that no plan of ours rests on. `n` makes it new each time. */
const unrelated: readonly ((hand: Editor, n: number) => Promise<unknown>)[] = [
  ({ client, region }, n) => tag(client, foreign(region.vpcs.values()), { Key: `note-${n}`, Value: 'seen' }),
  ({ client, region }, n) => tag(client, foreign(region.instances.values()), { Key: 'owner', Value: `team-${n}` }),
  ({ client, region }, n) =>
    client.send(
      new CreateSecurityGroupCommand({
        GroupName: `by-hand-${n}`,
        Description: 'made by hand',
        VpcId: foreign(region.vpcs.values())[0],
      }),
    ),
  ({ client, region }, n) => open(client, foreign(region.groups.values())[0], n),
  ({ client, region }) =>
    client.send(
      new RunInstancesCommand({
        ImageId: 'ami-0abcdef1234567890',
        InstanceType: 't3.micro',
        MinCount: 1,
        MaxCount: 1,
        SubnetId: foreign(region.subnets.values())[0],
      }),
    ),
  ({ client, region }, n) => open(client, groupNamed(region, `net-0-g${n % 2}`), n),
  ({ client, region }, n) => tag(client, machinesAt(region, otherMachine), { Key: 'tier', Value: `drifted-${n}` }),
  ({ client, region }, n) => tag(client, machinesAt(region, plannedMachine), { Key: `note-${n}`, Value: 'seen' }),
];

const plannedMachine = '/instance/web-0-0';
const otherMachine = '/instance/web-0-1';

/** Exactly `count` changes that have nothing to do with any planned action, though some are next to one. */
async function touchUnrelated(hand: Editor, count: number, round: number): Promise<void> {
  for (let i = 0; i < count; i += 1) await unrelated[i % unrelated.length]?.(hand, round * count + i);
}

/** The before-value of one planned update moves. Answers which: its address's last part. */
async function touchRelated({ client, region }: Editor): Promise<string> {
  const [first = ''] = machinesAt(region, plannedMachine).filter((id) => region.instances.get(id)?.launch.index === 0);
  await tag(client, [first], { Key: 'tier', Value: 'somebody-else' });
  return `${plannedMachine}-0`;
}

const tag = (client: EC2Client, Resources: readonly string[], Tag: { Key: string; Value: string }): Promise<unknown> =>
  client.send(new CreateTagsCommand({ Resources: [...Resources], Tags: [Tag] }));

const open = (client: EC2Client, GroupId: string | undefined, n: number): Promise<unknown> =>
  client.send(
    new AuthorizeSecurityGroupIngressCommand({
      GroupId,
      IpPermissions: [
        { IpProtocol: 'tcp', FromPort: 20_000 + n, ToPort: 20_000 + n, IpRanges: [{ CidrIp: '0.0.0.0/0' }] },
      ],
    }),
  );

const groupNamed = (region: Region, name: string): string | undefined =>
  [...region.groups.values()].find((group) => group.name === name)?.id;

const machinesAt = (region: Region, document: string): readonly string[] =>
  [...region.instances.values()]
    .filter(({ tags }) => tags.get('setpoint:address')?.endsWith(document))
    .map(({ id }) => id);
