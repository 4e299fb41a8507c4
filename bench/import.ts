import { join } from 'node:path';
import type { Figure } from './figure.ts';
import { type Ended, measured } from './processes/measured.ts';
import { type SandboxProcess, startSandboxProcess } from './processes/sandbox.ts';
import { inScratch, writeFiles } from './processes/scratch.ts';
import { environment, expectCode, program } from './processes/setpoint.ts';

/**
 * `setpoint import --all` of an account that nobody manages, from the process's start to its end, proof included. The plan after the
 * apply must be empty.
 *
 *   figure             | account                                                  | counts
 *   -------------------+----------------------------------------------------------+-------------------------------
 *   import-10k         | 10,000 objects in 500 networks                           | seconds; asked: 30
 *   import-10k-peak    | the same                                                 | MB resident; asked: 512 MiB
 *   import-502-reads   | 1 network, 1 subnet, 50 groups of 5 rules, 200 instances | requests of the import; asked: 20
 *   import-502-marks   | the same                                                 | CreateTags of the apply; asked: 10
 *   import-502-writes  | the same                                                 | other writes of both; asked: 0
 */
export async function importAccounts(networks = 500): Promise<readonly Figure[]> {
  const large = await imported(largeAccount(networks), (cwd) => run(['import', '--all', '--json'], cwd));
  const { coverage } = JSON.parse(large.ended.stdout);
  const covered = Object.values<{ readonly covered: number; readonly uncovered: number }>(coverage);
  const uncovered = covered.reduce((sum, one) => sum + one.uncovered, 0);
  if (uncovered > 0) throw new Error(`${uncovered} objects without a document: ${JSON.stringify(coverage)}`);
  const objects = covered.reduce((sum, one) => sum + one.covered, 0);
  const seconds = large.ended.ms / 1000;
  return [
    { name: 'import-10k', value: seconds, unit: `s for ${objects} objects in ${networks} networks`, floor: 0 },
    { name: 'import-10k-peak', value: large.ended.peakMB, unit: 'MB', floor: 0 },
    ...(await smallAccount()),
  ];
}

/** Reads, marks and other writes from nothing to a managed account. */
async function smallAccount(): Promise<readonly Figure[]> {
  return withAccount(accountOf502, async (cwd, sandbox) => {
    expectCode(await run(['import', '--all'], cwd), 0, 'import');
    const read = await sandbox.takeCounts();
    const applied = expectCode(await run(['apply', '--yes'], cwd), 0, 'apply');
    console.error(`import-502: ${applied.stdout.split('\n').at(-2)}`);
    const written = await sandbox.takeCounts();
    const { actions } = JSON.parse(expectCode(await run(['plan', '--json'], cwd), 0, 'plan').stdout);
    if (actions.length > 0) throw new Error(`the plan afterwards is not empty: ${JSON.stringify(actions)}`);
    const writes = [...Object.entries(read), ...Object.entries(written)].filter(([action]) => !isRead(action));
    const marks = writes.filter(([action]) => action === 'CreateTags').reduce((sum, [, count]) => sum + count, 0);
    const all = writes.reduce((sum, [, count]) => sum + count, 0);
    const reads = Object.values(read).reduce((sum, count) => sum + count, 0);
    console.error(`import-502: ${JSON.stringify({ read, written })}`);
    return [
      { name: 'import-502-reads', value: reads, unit: 'requests', floor: 0 },
      { name: 'import-502-marks', value: marks, unit: 'CreateTags', floor: 0 },
      { name: 'import-502-writes', value: all - marks, unit: 'other writes', floor: 0 },
    ];
  });
}

const isRead = (action: string): boolean => /^(?:Describe|Get|List)/.test(action);

const [account, region] = ['111122223333', 'eu-west-1'];

async function imported(estate: object, work: (cwd: string) => Promise<Ended>): Promise<{ readonly ended: Ended }> {
  return withAccount(estate, async (cwd) => ({ ended: expectCode(await work(cwd), 0, 'import') }));
}

async function withAccount<T>(estate: object, work: (cwd: string, sandbox: SandboxProcess) => Promise<T>): Promise<T> {
  const sandbox = await startSandboxProcess();
  try {
    await sandbox.load(estate);
    await sandbox.takeCounts();
    return await inScratch(async (cwd) => {
      await writeFiles(join(cwd, 'specs'), [{ path: 'estate.yaml', text: specs(sandbox.url) }]);
      return work(cwd, sandbox);
    });
  } finally {
    await sandbox.close();
  }
}

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

const run = ([command = '', ...args]: readonly string[], cwd: string): Promise<Ended> =>
  measured({
    program: process.execPath,
    args: [program, command, '--allow-endpoint', ...args],
    cwd,
    env: environment(),
  });

const upTo = <T>(count: number, make: (index: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, i) => make(i));

/** 20 objects a network: itself, 2 subnets, 3 groups with the default one, 9 rules, 5 machines. */
const largeAccount = (networks: number): object => ({
  regions: [
    {
      account,
      region,
      vpcs: upTo(networks, (n) => ({
        key: `v${n}`,
        cidr: '10.0.0.0/16',
        tags: { Name: `net-${n}` },
        subnets: upTo(2, (s) => ({ key: `v${n}s${s}`, cidr: `10.0.${s}.0/24`, tags: { Name: `app-${s}` } })),
        groups: [
          {
            key: `v${n}web`,
            name: 'web',
            ingress: [
              { protocol: 'tcp', ports: '443', peers: ['0.0.0.0/0'] },
              { protocol: 'tcp', ports: '80', peers: ['0.0.0.0/0'] },
              { protocol: 'tcp', ports: '22', peers: ['10.0.0.0/8'] },
            ],
          },
          {
            key: `v${n}db`,
            name: 'db',
            ingress: ['5432', '6432'].map((ports) => ({ protocol: 'tcp', ports, peers: [`v${n}web`] })),
          },
        ],
      })),
      instances: upTo(networks, (n) => ({
        subnet: `v${n}s0`,
        groups: [`v${n}web`],
        count: 5,
        tags: { Name: `web-${n}`, tier: 'web' },
      })),
    },
  ],
});

const accountOf502: object = {
  regions: [
    {
      account,
      region,
      vpcs: [
        {
          key: 'core',
          cidr: '10.0.0.0/16',
          tags: { Name: 'core' },
          subnets: [{ key: 'app', cidr: '10.0.0.0/20', tags: { Name: 'app' } }],
          groups: upTo(50, (n) => ({
            key: `g${n}`,
            name: `group-${n}`,
            ingress: upTo(5, (port) => ({ protocol: 'tcp', ports: `${8000 + 2 * port}`, peers: ['10.0.0.0/8'] })),
          })),
        },
      ],
      instances: upTo(200, (n) => ({ subnet: 'app', groups: [`g${n % 50}`], tags: { Name: `web-${n}` } })),
    },
  ],
};
