import { join } from 'node:path';
import { type Shape, specFiles } from './estate/specs.ts';
import type { Figure } from './figure.ts';
import { inScratch, writeFiles } from './process/scratch.ts';
import { expectCode, planned, setpoint } from './process/setpoint.ts';
import { type CountingProxy, countingProxy } from './vs-terraform/counting-proxy.ts';
import { type Moto, motoPlace, openMoto } from './vs-terraform/moto.ts';
import { measureTerraform, type Peer, recorded, sum } from './vs-terraform/terraform.ts';

/** 502 resources: a VPC, a subnet, 50 groups, 250 ingress rules, 200 instances. The group of all instances comes on top. */
export const peers: Shape = {
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

/** What others made, which a test stands in for. */
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
