import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Sandbox, startSandbox } from '../sandbox/index.ts';
import { type Figure, p95 } from './figure.ts';
import { inScratch, writeFiles } from './processes/scratch.ts';
import { type Serving, serve, until } from './processes/setpoint.ts';

interface PreemptOptions {
  /** The number of changes of the rule. */
  readonly times?: number;
  readonly machines?: number;
}

/**
 * The delay of a changed rule in a scope in which thousands of launches wait for their budget. It counts from the write of the
 * spec, through the whole of `setpoint serve`, to the request in the sandbox's log. Seconds at p95. Asked: 5.
 */
export async function preempt({ times = 30, machines = 3000 }: PreemptOptions = {}): Promise<readonly Figure[]> {
  const sandbox = await startSandbox({ quotas: { instances: machines * 2 } });
  try {
    return await inScratch(async (folder) => {
      await writeFiles(folder, [{ path: 'specs/all.yaml', text: specsOf(sandbox.url, { machines, port: 1000 }) }]);
      const serving = serve(folder);
      try {
        await until(() => (sandbox.control.log.counts()['RunInstances'] ?? 0) >= launchedAtOnce, serving, 120_000);
        const waits: number[] = [];
        for (let i = 1; i <= times; i += 1) waits.push(await change(1000 + i, { folder, machines, sandbox, serving }));
        const waiting = machines - launchedOf(sandbox);
        if (waiting <= 0) throw new Error('no launch was waiting any more: the figure says nothing');
        return [
          {
            name: 'preempt',
            value: p95(waits) / 1000,
            unit: `s at p95 of ${times}, ${waiting} launches still waiting`,
          },
        ];
      } finally {
        await serving.end();
      }
    });
  } finally {
    await sandbox.close();
  }
}

/** Requests for a hundred each: what the account's budget of instances lets through before the others wait. */
const launchedAtOnce = 10;

interface ServingSetup {
  readonly folder: string;
  readonly machines: number;
  readonly sandbox: Sandbox;
  readonly serving: Serving;
}

/** Milliseconds from the written spec to the request. */
async function change(port: number, { folder, machines, sandbox, serving }: ServingSetup): Promise<number> {
  // why: changes of people come at any moment of what the worker does
  await sleep(Math.random() * 2000);
  const from = performance.now();
  await writeFile(join(folder, 'specs/all.yaml'), specsOf(sandbox.url, { machines, port }));
  await until(() => isOpened(sandbox, port), serving, 60_000);
  return performance.now() - from;
}

const isOpened = ({ control }: Sandbox, port: number): boolean =>
  control.log
    .entries({ action: 'AuthorizeSecurityGroupIngress' })
    .some(({ params }) => JSON.stringify(params).includes(`"${port}"`));

const launchedOf = ({ control }: Sandbox): number =>
  control.log
    .entries({ action: 'RunInstances' })
    .filter(({ status }) => status === 200)
    .reduce((sum, { params }) => sum + Number(params['MaxCount'] ?? 0), 0);

/** One network, one machine many times, and one rule with this port. */
function specsOf(endpoint: string, { machines, port }: { readonly machines: number; readonly port: number }): string {
  const targets = ['here'];
  const documents = [
    { kind: 'Estate', metadata: { name: 'acme' }, spec: { mode: 'enforce', limits: { creates: machines } } },
    {
      kind: 'Target',
      metadata: { name: 'here' },
      spec: { provider: 'aws', account: '111122223333', region: 'eu-west-1', endpoint, minReady: 0 },
    },
    {
      kind: 'Network',
      metadata: { name: 'core' },
      spec: { targets, cidr: '10.0.0.0/16', subnets: [{ name: 'app', cidr: '10.0.0.0/19' }] },
    },
    {
      kind: 'FirewallRule',
      metadata: { name: 'web' },
      spec: { network: 'core', protocol: 'tcp', ports: [port], group: 'web', peers: { cidrs: ['10.0.0.0/8'] } },
    },
    ...Array.from({ length: Math.ceil(machines / mostReplicas) }, (_, i) => ({
      kind: 'Instance',
      metadata: { name: `web-${String.fromCharCode(97 + i)}` },
      spec: {
        targets,
        network: 'core',
        subnet: 'app',
        groups: ['web'],
        image: 'ami-0abcdef1234567890',
        size: 't3.small',
        replicas: Math.min(mostReplicas, machines - i * mostReplicas),
      },
    })),
  ];
  return documents.map((one) => JSON.stringify({ apiVersion: 'setpoint.dev/v1', ...one })).join('\n---\n');
}

/** Of one document. */
const mostReplicas = 1000;
