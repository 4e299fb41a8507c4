import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import {
  AuthorizeSecurityGroupIngressCommand,
  CreateSecurityGroupCommand,
  DeleteSecurityGroupCommand,
  DescribeVpcsCommand,
  type EC2Client,
  RevokeSecurityGroupIngressCommand,
} from '@aws-sdk/client-ec2';
import { type Ran, run } from './child.ts';
import { type Colleague, colleagueAt, credentials } from './colleague.ts';
import { type Blocks, bothFamilies, lifeSpecs, oneFamily, region, type Wants } from './life-specs.ts';
import { motoToUse } from './moto.ts';
import { isMutating, type RecordedCall, type RecordingProxy, recordingProxy } from './recording-proxy.ts';
import { standing } from './standing.ts';
import { type Workplace, workplace } from './workplace.ts';

const rule = { IpProtocol: 'tcp', FromPort: 1, ToPort: 1 };
const block = { CidrIp: '192.0.2.0/24' };

/**
 * Returns whether this moto revokes a rule only by its description too. Version 5.1 does, 5.2 does if the peer is a group. AWS
 * does not: "If the security group rule has a description, you do not need to specify the description to revoke
 * the rule", https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_RevokeSecurityGroupIngress.html
 * The same 5.1 answers 200 and takes only one of two blocks away that have the same ports, so there each rule has only one.
 */
async function wantsDescriptions(client: EC2Client): Promise<boolean> {
  const { Vpcs: [vpc] = [] } = await client.send(new DescribeVpcsCommand({}));
  const made = { GroupName: 'probe', Description: 'asks moto a question', VpcId: vpc?.VpcId };
  const { GroupId } = await client.send(new CreateSecurityGroupCommand(made));
  const described = [{ ...rule, IpRanges: [{ ...block, Description: 'why' }] }];
  await client.send(new AuthorizeSecurityGroupIngressCommand({ GroupId, IpPermissions: described }));
  const bare = { GroupId, IpPermissions: [{ ...rule, IpRanges: [block] }] };
  const refused = await client.send(new RevokeSecurityGroupIngressCommand(bare)).then(
    () => false,
    (error: Error) => {
      if (error.name === 'InvalidPermission.NotFound') return true;
      throw error;
    },
  );
  await client.send(new DeleteSecurityGroupCommand({ GroupId }));
  return refused;
}

/** A second colleague, at a prompt: Amazon's command line, where the machine has one that works. */
interface AwsCli {
  ec2(...args: readonly string[]): Promise<unknown>;
}

async function awsCliAt(endpoint: string): Promise<AwsCli | undefined> {
  const aws = (args: readonly string[]): Promise<Ran> =>
    run('aws', ['--endpoint-url', endpoint, '--output', 'json', ...args], { cwd: tmpdir(), env, timeoutMs: 60_000 });
  const version = await aws(['--version']).catch(() => undefined);
  if (version?.code !== 0) return undefined;
  return {
    ec2: async (...args) => {
      const { code, stdout, stderr } = await aws(['ec2', ...args]);
      if (code !== 0) throw new Error(`aws ec2 ${args.join(' ')}: exit ${code}\n${stderr}`);
      return stdout.trim() === '' ? undefined : JSON.parse(stdout);
    },
  };
}

const env: NodeJS.ProcessEnv = {
  PATH: process.env['PATH'],
  HOME: process.env['HOME'],
  AWS_ACCESS_KEY_ID: credentials.accessKeyId,
  AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
  AWS_DEFAULT_REGION: region,
  AWS_CONFIG_FILE: '/dev/null',
  AWS_EC2_METADATA_DISABLED: 'true',
};

/** The expected result of a command: its exit code, and texts that its answer must or must not have. */
interface Expected {
  readonly code: number;
  readonly shows?: readonly RegExp[];
  readonly never?: readonly RegExp[];
}

/** An estate on moto with its user, and colleagues who go round the specs. */
export interface Life {
  /** Of the emulator. */
  readonly url: string;
  readonly colleague: Colleague;
  readonly cli: AwsCli | undefined;
  readonly workplace: Workplace;
  /** The region's resources before the test, by id. */
  readonly before: readonly string[];
  /** A moto that does not take rules away as AWS does: see `wantsDescriptions`. */
  readonly isOld: boolean;
  readonly blocks: Blocks;
  /** The specs are these from now on. */
  want(wants: Omit<Wants, 'endpoint' | 'blocks'>): Promise<void>;
  /** Runs a verb as a user would; throws if its output is not as expected. Returns its calls. */
  sees(args: readonly string[], expected: Expected): Promise<Ran & { readonly calls: readonly RecordedCall[] }>;
  /** Every call by which something was changed, so far. */
  written(): readonly RecordedCall[];
  end(): Promise<void>;
}

export async function startLife(): Promise<Life> {
  const ending = new AsyncDisposableStack();
  try {
    return await begin(ending);
  } catch (error) {
    await ending.disposeAsync();
    throw error;
  }
}

/** Opens the parts of a test. The last one closes first. */
async function begin(ending: AsyncDisposableStack): Promise<Life> {
  const moto = ending.adopt(await motoToUse(), ({ stop }) => stop());
  const proxy = ending.adopt(await recordingProxy(moto.url), ({ close }) => close());
  const place = ending.adopt(await workplace(), ({ leave }) => leave());
  const colleague = ending.adopt(colleagueAt(moto.url, region), ({ leave }) => leave());
  const written: RecordedCall[] = [];
  const isOld = await wantsDescriptions(colleague.client);
  const blocks = isOld ? oneFamily : bothFamilies;
  return {
    url: moto.url,
    before: await standing(colleague.client),
    isOld,
    blocks,
    written: () => written,
    colleague,
    cli: await awsCliAt(moto.url),
    workplace: place,
    want: (wants) => place.write(lifeSpecs({ ...wants, blocks, endpoint: proxy.url })),
    sees: async (args, expected) => {
      const { calls, ...ran } = await see(args, { place, proxy });
      written.push(...calls.filter(isMutating));
      demand(ran, expected, args);
      return { ...ran, calls };
    },
    end: () => ending.disposeAsync(),
  };
}

interface Stage {
  readonly place: Workplace;
  readonly proxy: RecordingProxy;
}

/** Verbs that meet no cloud have no such flag. */
const offline: ReadonlySet<string> = new Set(['validate', 'ledger']);

async function see(args: readonly string[], { place, proxy }: Stage) {
  const began = performance.now();
  const flags = offline.has(args[0] ?? '') ? [] : ['--allow-endpoint'];
  const ran = await place.setpoint(...args, ...flags);
  const calls = proxy.taken();
  const [verdict = ''] = ran.stdout.split('\n');
  const took = ((performance.now() - began) / 1000).toFixed(1);
  process.stdout.write(
    `    $ setpoint ${args.join(' ')}\n      ${verdict.slice(0, 150)} (exit ${ran.code}, ${took} s)\n`,
  );
  return { ...ran, calls };
}

function demand(
  { code, stdout, stderr }: Ran,
  { code: wanted, shows = [], never = [] }: Expected,
  args: readonly string[],
): void {
  const faults = [
    ...(code === wanted ? [] : [`exit code ${code}, not ${wanted}`]),
    ...shows.filter((pattern) => !pattern.test(stdout)).map((pattern) => `does not show ${pattern}`),
    ...never.filter((pattern) => pattern.test(stdout)).map((pattern) => `shows ${pattern}`),
  ];
  assert.ok(faults.length === 0, `setpoint ${args.join(' ')}: ${faults.join('; ')}\n${stdout}\n${stderr}`);
}
