import type { Logged } from '../../sandbox/request-log.ts';
import type { SpecFile } from '../../src/source/tree.ts';
import { memoryDatabase } from '../../test/support/memory-store.ts';
import { unowned } from '../estate/unowned.ts';
import type { Spoil } from '../figure.ts';
import { editByHand } from '../second-pass/by-hand.ts';
import { drawnSpecs } from '../second-pass/drawn-specs.ts';
import { account, besides, openStage, region, type Stage } from '../world/stage.ts';

interface Fleet {
  readonly estate: string;
  readonly seed: number;
  readonly apply: Stage['apply'];
}

/** Two estates in turn on the AWS sandbox, with people who edit between: requests of one that name what is not its own. */
export async function inTurnOnAws(turns: number, spoil: Spoil): Promise<readonly string[]> {
  const stage = await openStage({ estate: unowned(account, region), quotas: { vpcs: 20 } });
  try {
    const fleets = ['north', 'south'].map((estate, n) => fleetOn(stage, estate, n + 1));
    const foreign: string[] = [];
    for (let turn = 1; turn <= turns; turn += 1) {
      for (const fleet of fleets) foreign.push(...(await turnOf(fleet, { stage, turn, spoil })));
      await editByHand(stage.sandbox.url, stage.sandbox.control.ec2.region(account, region), turn);
    }
    return foreign;
  } finally {
    await stage.close();
  }
}

const lagMs = 3000;

/** Two stores of one estate begin at an empty account at once; then each looks again. What they wrote after they could see each other. */
export async function sameStartOnAws(seed: number, spoil: Spoil): Promise<readonly string[]> {
  // why: neither is shown what the other writes while it has yet to look
  const stage = await openStage({ lag: { ms: lagMs, sight: 0 }, quotas: { vpcs: 20 } });
  const { time, sandbox, place } = stage;
  const { log } = sandbox.control;
  try {
    const stores = [1, 2].map((n) => fleetOn(stage, 'bench', n));
    const files = drawnSpecs(seed, 1, place);
    await time.run(() => Promise.all(stores.map(({ apply }) => apply(files))));
    await spoil(sandbox.control);
    sandbox.control.clock.advance(lagMs);
    log.clear();
    const faults: string[] = [];
    for (const { apply } of stores) {
      const { last } = await time.run(() => apply(files));
      if (!last?.plan.findings.some(({ type }) => type === 'foreign-store')) faults.push('a store did not stop');
    }
    return [...faults, ...log.entries({ mutating: true }).map(({ action }) => `${action} beside another store`)];
  } finally {
    await stage.close();
  }
}

function fleetOn(stage: Stage, estate: string, n: number): Fleet {
  const store = memoryDatabase(stage.time.clock, `${n}0000000-0000-4000-8000-000000000000`).connect();
  return { estate, seed: n, apply: besides(stage, estate, store) };
}

interface Turn {
  readonly stage: Stage;
  readonly turn: number;
  readonly spoil: Spoil;
}

async function turnOf({ estate, seed, apply }: Fleet, { stage, turn, spoil }: Turn): Promise<readonly string[]> {
  const { control } = stage.sandbox;
  const owners = ownersIn(stage);
  control.log.clear();
  await stage.time.run(() => apply(named(drawnSpecs(seed, turn, stage.place), estate)));
  await spoil(control);
  const writes = control.log.entries({ mutating: true });
  console.error(`two-fleets: ${estate} wrote ${writes.length} times in its turn ${turn} on AWS`);
  return writes.flatMap((write) => foreignIn(write, owners, estate));
}

/** Names begin with the estate's own, as two estates of one scope cannot share an address; blocks are equal. What no document asks for goes. */
const named = (files: readonly SpecFile[], estate: string): readonly SpecFile[] =>
  files.map(({ path, text }) => ({
    path,
    text: text
      .replace('kind: Estate\nmetadata: { name: bench }', `kind: Estate\nmetadata: { name: ${estate} }`)
      .replaceAll('spec: { targets:', 'spec: { deletionPolicy: delete, targets:')
      .replaceAll(/\b((?:net|rule|web)-\d)/g, `${estate}-$1`),
  }));

/** The estate in each object's mark, by id; '' for an unmarked one. */
function ownersIn({ sandbox }: Stage): ReadonlyMap<string, string> {
  const { vpcs, subnets, gateways, routeTables, groups, instances, volumes } = sandbox.control.ec2.region(
    account,
    region,
  );
  const tables = [vpcs, subnets, gateways, routeTables, groups, instances, volumes];
  return new Map(
    tables.flatMap((table) => [...table.values()].map(({ id, tags }) => [id, tags.get('setpoint:estate') ?? ''])),
  );
}

const foreignIn = ({ action, params }: Logged, owners: ReadonlyMap<string, string>, estate: string) =>
  Object.values(params)
    .filter((value) => owners.has(value) && owners.get(value) !== estate)
    .map((id) => `${estate} sent ${action} for ${id}, which is ${owners.get(id) || 'nobody'}'s`);
