import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import {
  createServer as createHttpServer,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { type Shape, specFiles } from './estate/specs.ts';
import type { Figure } from './figure.ts';
import { runToEnd } from './processes/measured.ts';
import { inScratch, writeFiles } from './processes/scratch.ts';
import { expectCode, planned, setpoint } from './processes/setpoint.ts';

/** 502 resources: a VPC, a subnet, 50 groups, 250 ingress rules, 200 instances. The group of all instances comes on top. */
const peers: Shape = {
  networks: 1,
  subnets: 1,
  groups: 50,
  rulesPerGroup: 5,
  machines: { documents: 50, replicas: 4 },
};

/**
 * The same estate made and then planned with nothing to do, through both command lines, on moto. Every call to the cloud
 * counts, by a proxy in between. Asked: at most 8 calls and 250 MB for the plan, 175 calls to make it.
 */
export async function vsTerraform(
  shape: Shape = peers,
  { open, terraform }: Outside = { open: openMoto, terraform: measureTerraform },
): Promise<readonly Figure[]> {
  const moto = await open();
  if (moto === undefined) {
    console.error('vs-terraform: SKIPPED: no moto. Name one with SETPOINT_MOTO, or the folder of start-moto.sh with');
    console.error('vs-terraform: SETPOINT_GATES.');
    return [];
  }
  const proxy = await countingProxy(moto.url);
  try {
    const ours = await measureOurs({ moto, proxy, shape });
    await moto.reset();
    const theirs = await terraform(proxy);
    return figuresOf(ours, theirs);
  } finally {
    await proxy.close();
    moto.close();
  }
}

/** Others' programs, which a test replaces. */
export interface Outside {
  readonly open: () => Promise<Moto | undefined>;
  readonly terraform: typeof measureTerraform;
}

interface Scene {
  readonly moto: Moto;
  readonly proxy: CountingProxy;
  readonly shape: Shape;
}

function measureOurs({ moto, proxy, shape }: Scene): Promise<Peer> {
  return inScratch(async (cwd) => {
    await moto.reset();
    await writeFiles(join(cwd, 'specs'), specFiles(shape, { ...motoPlace, endpoint: proxy.url }));
    proxy.take();
    const made = await setpoint(['apply', '--allow-endpoint', '--yes'], { cwd });
    expectCode(made, 0, 'setpoint apply');
    const creating = told('to create', proxy.take());
    const looked = await setpoint(['plan', '--allow-endpoint', '--json'], { cwd });
    const { actions, summary } = planned(expectCode(looked, 0, 'setpoint plan'));
    if (actions.length + summary.blocked > 0)
      throw new Error(`just made, and yet: ${JSON.stringify(summary)} ${actions[0]?.address}`);
    return {
      createCalls: creating,
      planCalls: told('to plan', proxy.take()),
      planMs: looked.ms,
      planPeakMB: looked.peakMB,
    };
  });
}

function told(what: string, counts: Readonly<Record<string, number>>): number {
  console.error(`vs-terraform: ${what}: ${JSON.stringify(counts)}`);
  return sum(counts);
}

function figuresOf(ours: Peer, theirs: Peer | undefined): readonly Figure[] {
  if (theirs === undefined)
    console.error('vs-terraform: terraform with its AWS provider does not work here: floors are its recorded figures');
  const peer = theirs ?? recorded;
  const figure = (name: string, unit: string, of: (one: Peer) => number): Figure => ({
    name: `vs-terraform-${name}`,
    value: of(ours),
    unit,
    floor: of(peer),
    ratio: of(ours) / of(peer),
  });
  return [
    figure('plan-calls', 'calls', ({ planCalls }) => planCalls),
    figure('plan-peak', 'MB', ({ planPeakMB }) => planPeakMB),
    figure('create-calls', 'calls', ({ createCalls }) => createCalls),
    ...(theirs === undefined ? [] : [figure('plan-time', 'ms', ({ planMs }) => planMs)]),
  ];
}

/** Terraform's calls and times. */
interface Peer {
  readonly createCalls: number;
  readonly planCalls: number;
  readonly planMs: number;
  readonly planPeakMB: number;
}

/** Terraform 1.11.4 with its AWS provider on moto, 502 resources, measured on two cores. */
const recorded: Peer = { createCalls: 3062, planCalls: 2308, planMs: 22_800, planPeakMB: 513 };

/**
 * The same through the Terraform of this machine; undefined where there is none, or it cannot get its AWS provider. Its
 * memory is that of two programs, so the recorded figure stands for it.
 */
export function measureTerraform(
  proxy: CountingProxy,
  own: NodeJS.ProcessEnv = process.env,
): Promise<Peer | undefined> {
  return inScratch(async (cwd) => {
    await writeFiles(cwd, [{ path: 'main.tf', text: configuration(proxy.url) }]);
    const env = { ...own, TF_IN_AUTOMATION: '1', CHECKPOINT_DISABLE: '1', AWS_EC2_METADATA_DISABLED: 'true' };
    const terraform = (...args: readonly string[]) =>
      runToEnd({ program: 'terraform', args: [...args, '-no-color', '-input=false'], cwd, env });
    const init = await terraform('init').catch(() => undefined);
    if (init?.code !== 0) return undefined;
    proxy.take();
    const created = await terraform('apply', '-auto-approve');
    const createCalls = sum(proxy.take());
    const planned = await terraform('plan', '-detailed-exitcode');
    const planCalls = sum(proxy.take());
    if (created.code !== 0 || planned.code !== 0)
      throw new Error(`terraform in ${join(cwd, 'main.tf')}: ${created.stderr} ${planned.stderr}`);
    return { ...recorded, createCalls, planCalls, planMs: planned.ms };
  });
}

const sum = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((all, some) => all + some, 0);

/** The estate of `vs-terraform.ts`, in its words. */
const configuration = (url: string): string => `
terraform {
  required_providers {
    aws = { source = "hashicorp/aws" }
  }
}
provider "aws" {
  region                      = "${motoPlace.region}"
  access_key                  = "test"
  secret_key                  = "test"
  skip_credentials_validation = true
  skip_metadata_api_check     = true
  endpoints {
    ec2 = "${url}"
    sts = "${url}"
    iam = "${url}"
  }
}
resource "aws_vpc" "net" {
  cidr_block = "10.0.0.0/16"
  tags       = { Name = "net-0", team = "platform" }
}
resource "aws_subnet" "s" {
  vpc_id     = aws_vpc.net.id
  cidr_block = "10.0.0.0/24"
  tags       = { Name = "net-0.s0", team = "platform" }
}
resource "aws_security_group" "g" {
  count  = 50
  name   = "net-0-g\${count.index}"
  vpc_id = aws_vpc.net.id
}
resource "aws_vpc_security_group_ingress_rule" "r" {
  count             = 250
  security_group_id = aws_security_group.g[floor(count.index / 5)].id
  ip_protocol       = "tcp"
  from_port         = 8000 + count.index % 5
  to_port           = 8000 + count.index % 5
  cidr_ipv4         = "192.168.\${count.index % 5}.0/24"
  description       = "port \${8000 + count.index % 5}"
}
resource "aws_instance" "web" {
  count                  = 200
  ami                    = "${motoPlace.image}"
  instance_type          = "t3.small"
  subnet_id              = aws_subnet.s.id
  vpc_security_group_ids = [aws_security_group.g[floor(count.index / 4)].id]
  tags                   = { Name = "web-0-\${floor(count.index / 4)}", tier = "web" }
}
`;

/** moto, an emulator of AWS that others write: https://github.com/getmoto/moto */
interface Moto {
  readonly url: string;
  /** Empties the account. */
  reset(): Promise<void>;
  close(): void;
}

/** As it is born: https://docs.getmoto.org/en/latest/docs/multi_account.html */
const motoPlace = { account: '123456789012', region: 'us-east-1', image: 'ami-12c6146b' } as const;

const root = join(import.meta.dirname, '..');

/** The one at SETPOINT_MOTO, or one started for us by the gates' script; undefined where there is neither. */
export async function openMoto(env: NodeJS.ProcessEnv = process.env): Promise<Moto | undefined> {
  const given = env['SETPOINT_MOTO'];
  if (given !== undefined) return motoAt(given, () => undefined);
  const script = join(resolve(root, env['SETPOINT_GATES'] ?? '../shared/gates'), 'start-moto.sh');
  if (!existsSync(script)) return undefined;
  const { url, group } = await start(script, env);
  // why: by its group, as the file in which the script keeps the pid may meanwhile name somebody else's
  return motoAt(url, () => void process.kill(-group));
}

interface Started {
  readonly url: string;
  /** The process group of all that the script started. */
  readonly group: number;
}

async function start(script: string, env: NodeJS.ProcessEnv): Promise<Started> {
  const port = await freePort();
  const stdio = ['ignore', 'ignore', 'inherit'] as const;
  const child = spawn('bash', [script, String(port)], { env, detached: true, stdio: [...stdio] });
  const code = await new Promise<number | null>((resolved, reject) => {
    child.once('error', reject);
    child.once('exit', resolved);
  });
  if (code !== 0 || child.pid === undefined) throw new Error(`${script} ended with ${code}: moto did not start`);
  return { url: `http://127.0.0.1:${port}`, group: child.pid };
}

const motoAt = (url: string, close: () => void): Moto => ({
  url,
  reset: async () => {
    const { ok, status } = await fetch(new URL('/moto-api/reset', url), { method: 'POST' });
    if (!ok) throw new Error(`${url} did not empty itself: ${status}`);
  },
  close,
});

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}

/** A loopback proxy that counts what passes. */
export interface CountingProxy {
  readonly url: string;
  /** Calls by action since the last look, which begins a new count. */
  take(): Readonly<Record<string, number>>;
  close(): Promise<void>;
}

/** Reconciles everything on to `target` as it came, and counts each by the `Action` of its form, or its method. */
export async function countingProxy(target: string): Promise<CountingProxy> {
  const { hostname, port } = new URL(target);
  let counts = new Map<string, number>();
  const reconcile = async (question: IncomingMessage, answer: ServerResponse): Promise<void> => {
    const body = await bodyOf(question);
    const action = new URLSearchParams(body.toString('utf8')).get('Action') ?? `${question.method} ${question.url}`;
    counts.set(action, (counts.get(action) ?? 0) + 1);
    const { method, url: path, headers } = question;
    const onward = request({ hostname, port, method, path, headers }, (back) => {
      answer.writeHead(back.statusCode ?? 502, back.headers);
      back.pipe(answer);
    });
    onward.once('error', () => answer.destroy());
    onward.end(body);
  };
  const server = createHttpServer((question, answer) => void reconcile(question, answer).catch(() => answer.destroy()));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${portOf(server)}`,
    take: () => {
      const taken = Object.fromEntries(counts);
      counts = new Map();
      return taken;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function bodyOf(question: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of question) chunks.push(chunk);
  return Buffer.concat(chunks);
}

// why: a listening TCP server has no other form of address
const portOf = (server: Server): number => (server.address() as AddressInfo).port;
