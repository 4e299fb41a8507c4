import { join } from 'node:path';
import { z } from 'zod';
import { type Sandbox, startSandbox } from '../sandbox/index.ts';
import { bootScript, type Place, specFiles } from './estate/specs.ts';
import { unowned } from './estate/unowned.ts';
import { type Figure, type Spoil, spoilNothing } from './figure.ts';
import { inScratch, writeFiles } from './processes/scratch.ts';
import { expectCode, planned, setpoint } from './processes/setpoint.ts';
import { foreignIds, type Hand, touchRelated, touchUnrelated, withHand } from './unchanged-world/by-hand.ts';

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
      withHand(sandbox.url, world, async (hand) => {
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
  readonly hand: Hand;
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
