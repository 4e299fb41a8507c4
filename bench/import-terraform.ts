import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  AuthorizeSecurityGroupIngressCommand,
  CreateSecurityGroupCommand,
  CreateSubnetCommand,
  CreateVpcCommand,
  EC2Client,
  RevokeSecurityGroupEgressCommand,
  RunInstancesCommand,
} from '@aws-sdk/client-ec2';
import { z } from 'zod';
import { startSandbox } from '../sandbox/index.ts';
import type { Figure } from './figure.ts';
import { inScratch, writeFiles } from './processes/scratch.ts';
import { expectCode, planned, setpoint } from './processes/setpoint.ts';
import { countingProxy, freePort, openMoto } from './vs-terraform.ts';

/**
 * `setpoint import --from-terraform` of the account of 502 resources that Terraform made: its state, and the account made again as the
 * state says it. Each call to the cloud counts, by a proxy in between.
 *
 *   figure                   | counts
 *   -------------------------+----------------------------------------------------
 *   import-terraform-reads   | calls of the import; asked: 20
 *   import-terraform-writes  | calls that change something, of the import and the apply; asked: 10
 *   import-terraform-others  | those of them that do more than mark; asked: 0
 *
 * On moto, where there is one; else on the sandbox. SETPOINT_TERRAFORM names the folder of the state.
 */
export async function importTerraform(folder = states, open = openEmulator): Promise<readonly Figure[]> {
  const file = join(folder, 'aws-502.tfstate');
  if (!existsSync(file)) throw new Error(`there is no ${file}: set SETPOINT_TERRAFORM`);
  const emulator = await open();
  const proxy = await countingProxy(emulator.url);
  try {
    const text = await readFile(file, 'utf8');
    const ids = await makeAccount(stateOf(text), emulator.url);
    // why: ids are the only thing by which another account differs
    const state = text.replaceAll(/\b(?:vpc|subnet|sg|sgr|i)-[0-9a-f]{8,17}\b/g, (id) => ids.get(id) ?? id);
    proxy.take();
    return await inScratch(async (cwd) => {
      await writeFiles(join(cwd, 'specs'), [{ path: 'estate.yaml', text: specs(proxy.url) }]);
      await writeFile(join(cwd, 'terraform.tfstate'), state);
      const run = (...args: readonly string[]) => setpoint([...args, '--allow-endpoint'], { cwd });
      const imported = await run('import', '--from-terraform', 'terraform.tfstate', '--json');
      refuseUncovered(expectCode(imported, 0, 'import').stdout, ids.size);
      const read = proxy.take();
      const { actions, summary } = planned(expectCode(await run('plan', '--json'), 0, 'plan'));
      const other = actions.find(({ verb }) => verb !== 'adopt');
      if (other !== undefined || summary.blocked > 0)
        throw new Error(`the plan does more than adopt: ${JSON.stringify(summary)} ${other?.address}`);
      proxy.take();
      expectCode(await run('apply', '--yes'), 0, 'apply');
      return figuresOf(read, proxy.take(), emulator.name);
    });
  } finally {
    await proxy.close();
    await emulator.close();
  }
}

type Counts = Readonly<Record<string, number>>;

function figuresOf(read: Counts, applied: Counts, on: string): readonly Figure[] {
  console.error(`import-terraform: on ${on}: ${JSON.stringify({ read, applied })}`);
  const sum = (counts: readonly (readonly [string, number])[]): number =>
    counts.reduce((all, [, some]) => all + some, 0);
  const isRead = (action: string): boolean => /^(?:Describe|Get|List)/.test(action);
  const writes = [...Object.entries(read), ...Object.entries(applied)].filter(([action]) => !isRead(action));
  const others = writes.filter(([action]) => action !== 'CreateTags');
  const evidence = writes.map(([action, count]) => `${count} ${action}`);
  return [
    { name: 'import-terraform-reads', value: sum(Object.entries(read)), unit: `calls on ${on}`, floor: 0 },
    { name: 'import-terraform-writes', value: sum(writes), unit: `calls on ${on}`, floor: 0, evidence },
    { name: 'import-terraform-others', value: sum(others), unit: `calls on ${on}`, floor: 0, evidence },
  ];
}

const answer = z.object({
  uncovered: z.array(z.unknown()),
  terraform: z.object({
    instances: z.object({ covered: z.number(), known: z.number() }),
    stateRm: z.array(z.string()),
  }),
});

function refuseUncovered(stdout: string, resources: number): void {
  const { uncovered, terraform } = answer.parse(JSON.parse(stdout));
  const { covered, known } = terraform.instances;
  if (uncovered.length + terraform.stateRm.length > 0 || covered !== resources || known !== resources)
    throw new Error(`not all of ${resources} have documents: ${JSON.stringify([terraform, uncovered[0]])}`);
}

/** The account of the emulators, and the region of the state. */
const [account, region] = ['123456789012', 'us-east-1'];

const specs = (endpoint: string): string => `apiVersion: setpoint.dev/v1
kind: Estate
metadata: { name: acme }
spec: {}
---
apiVersion: setpoint.dev/v1
kind: Target
metadata: { name: prod }
spec: { provider: aws, account: "${account}", region: ${region}, endpoint: "${endpoint}" }
`;

const attributes = z.object({
  id: z.string(),
  cidr_block: z.string().optional(),
  name: z.string().optional(),
  description: z.string().nullish(),
  security_group_id: z.string().optional(),
  cidr_ipv4: z.string().optional(),
  ip_protocol: z.string().optional(),
  from_port: z.number().optional(),
  to_port: z.number().optional(),
  ami: z.string().optional(),
  instance_type: z.string().optional(),
  vpc_security_group_ids: z.array(z.string()).optional(),
  tags: z.record(z.string(), z.string()).nullish(),
});

type Made = z.infer<typeof attributes>;

const stateForm = z.object({
  resources: z.array(z.object({ type: z.string(), instances: z.array(z.object({ attributes })) })),
});

/** The resources of the state by their types. */
const stateOf = (text: string): ((type: string) => readonly Made[]) => {
  const { resources } = stateForm.parse(JSON.parse(text));
  return (type) =>
    resources.filter((one) => one.type === type).flatMap(({ instances }) => instances.map((one) => one.attributes));
};

/** Makes what the state says, as Terraform makes it. Gives the new id of each. */
async function makeAccount(
  of: (type: string) => readonly Made[],
  endpoint: string,
): Promise<ReadonlyMap<string, string>> {
  const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'not-a-secret' };
  const client = new EC2Client({ endpoint, region, credentials });
  const ids = new Map<string, string>();
  const known = (id: string | undefined): string => ids.get(id ?? '') ?? '';
  const keep = (id: string, made: string | undefined): void => {
    if (made === undefined) throw new Error(`${id} was not made`);
    ids.set(id, made);
  };
  try {
    for (const { id, cidr_block: CidrBlock } of of('aws_vpc'))
      keep(id, (await client.send(new CreateVpcCommand({ CidrBlock }))).Vpc?.VpcId);
    const [VpcId = ''] = ids.values();
    for (const { id, cidr_block: CidrBlock } of of('aws_subnet'))
      keep(id, (await client.send(new CreateSubnetCommand({ VpcId, CidrBlock }))).Subnet?.SubnetId);
    const SubnetId = known(of('aws_subnet')[0]?.id);
    for (const { id, name: GroupName, description } of of('aws_security_group')) {
      const asked = { VpcId, GroupName, Description: description ?? '' };
      const { GroupId } = await client.send(new CreateSecurityGroupCommand(asked));
      keep(id, GroupId);
      const IpPermissions = [{ IpProtocol: '-1', IpRanges: [{ CidrIp: '0.0.0.0/0' }] }];
      await client.send(new RevokeSecurityGroupEgressCommand({ GroupId, IpPermissions }));
    }
    for (const rule of of('aws_vpc_security_group_ingress_rule')) {
      const ports = { IpProtocol: rule.ip_protocol, FromPort: rule.from_port, ToPort: rule.to_port };
      const IpPermissions = [{ ...ports, IpRanges: [{ CidrIp: rule.cidr_ipv4 }] }];
      const asked = { GroupId: known(rule.security_group_id), IpPermissions };
      const made = await client.send(new AuthorizeSecurityGroupIngressCommand(asked));
      keep(rule.id, made.SecurityGroupRules?.[0]?.SecurityGroupRuleId);
    }
    for (const machine of of('aws_instance')) keep(machine.id, await launch(machine, { client, SubnetId, known }));
    return ids;
  } finally {
    client.destroy();
  }
}

interface Launch {
  readonly client: EC2Client;
  readonly SubnetId: string;
  readonly known: (id: string) => string;
}

async function launch(machine: Made, { client, SubnetId, known }: Launch): Promise<string | undefined> {
  const Tags = Object.entries(machine.tags ?? {}).map(([Key, Value]) => ({ Key, Value }));
  const made = await client.send(
    new RunInstancesCommand({
      ...{ ImageId: machine.ami, InstanceType: instanceType.parse(machine.instance_type), MinCount: 1, MaxCount: 1 },
      ...{ SubnetId, SecurityGroupIds: machine.vpc_security_group_ids?.map(known) },
      TagSpecifications: [{ ResourceType: 'instance', Tags }],
    }),
  );
  return made.Instances?.[0]?.InstanceId;
}

const instanceType = z.enum(['t3.micro', 't3.small']);

const states = resolve(import.meta.dirname, '..', process.env['SETPOINT_TERRAFORM'] ?? '../shared/terraform');

/** A cloud on this machine. */
export interface Emulator {
  readonly name: string;
  readonly url: string;
  close(): void | Promise<void>;
}

/** moto by SETPOINT_MOTO, by `moto_server` of this machine, or by the gates' script; else the sandbox. */
async function openEmulator(): Promise<Emulator> {
  const moto = process.env['SETPOINT_MOTO'] === undefined ? await startMoto() : undefined;
  if (moto !== undefined) return moto;
  const opened = await openMoto();
  if (opened !== undefined) {
    await opened.reset();
    return { name: 'moto', url: opened.url, close: () => opened.close() };
  }
  const sandbox = await startSandbox({ accounts: [{ id: account, accessKeyIds: ['AKIDEXAMPLE'] }], budgets: false });
  return { name: 'the sandbox', url: sandbox.url, close: () => sandbox.close() };
}

/** Undefined where there is no `moto_server`. */
async function startMoto(): Promise<Emulator | undefined> {
  const port = await freePort();
  const child = spawn('moto_server', ['-H', '127.0.0.1', '-p', String(port)], { detached: true, stdio: 'ignore' });
  const started = await new Promise<boolean>((resolved) => {
    child.once('error', () => resolved(false));
    child.once('spawn', () => resolved(true));
  });
  const { pid } = child;
  if (!started || pid === undefined) return undefined;
  // why: a shim runs it as a child of its own
  const moto = { name: 'moto', url: `http://127.0.0.1:${port}`, close: () => void process.kill(-pid) };
  for (let tries = 0; tries < 150; tries += 1) {
    const isUp = await fetch(`${moto.url}/moto-api/data.json`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isUp) return moto;
    if (child.exitCode !== null) return undefined;
    await sleep(200);
  }
  moto.close();
  throw new Error('moto_server does not answer');
}
