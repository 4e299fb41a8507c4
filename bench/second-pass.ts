import type { SpecFile } from '../src/source/tree.ts';
import { drawnSpecs } from './estate/drawn-specs.ts';
import { editByHand } from './estate/edits-by-hand.ts';
import { unowned } from './estate/unowned.ts';
import { type Figure, type Spoil, spoilNothing } from './figure.ts';
import { account, openStage, region, type Stage } from './world/stage.ts';

/** The delay after which the account shows a write. */
const lag = { ms: 1500, sight: 0 };

/**
 * Calls that change something, in a reconcile right after convergence, summed over messy accounts and drawn estates: made,
 * edited by hand, changed by other specs and converged again. Asked: 0.
 */
export async function secondReconcile(estates = 6, spoil: Spoil = spoilNothing): Promise<readonly Figure[]> {
  const writes: number[] = [];
  for (let seed = 1; seed <= estates; seed += 1) writes.push(await writesOf(seed, spoil));
  const value = writes.reduce((sum, some) => sum + some, 0);
  return [{ name: 'second-pass', value, unit: `mutating calls in ${estates} passes`, floor: 0 }];
}

async function writesOf(seed: number, spoil: Spoil): Promise<number> {
  const stage = await openStage({ seed, lag, estate: unowned(account, region) });
  const { control, url } = stage.sandbox;
  const { log } = control;
  try {
    const made = await convergeOn(stage, drawnSpecs(seed, 1, stage.place));
    await editByHand(url, control.ec2.region(account, region), seed);
    control.clock.advance(lag.ms);
    const healed = await convergeOn(stage, drawnSpecs(seed, 2, stage.place));
    await spoil(control);
    await convergeOn(stage, drawnSpecs(seed, 2, stage.place));
    const again = log.entries({ mutating: true });
    console.error(`second-pass: estate ${seed}: ${made} writes, ${healed} after hand and specs, then ${again.length}`);
    for (const { action, params } of again) console.error(JSON.stringify({ action, params }));
    return again.length;
  } finally {
    await stage.close();
  }
}

/** To the end; how many calls it took that change something. They alone are in the log afterwards. */
async function convergeOn({ apply, sandbox: { control } }: Stage, files: readonly SpecFile[]): Promise<number> {
  control.log.clear();
  const { outcome, rounds: reconciles, last } = await apply(files);
  const writes = control.log.entries({ mutating: true }).length;
  if (outcome === 'done' && (last?.plan.actions.length ?? 1) === 0) return writes;
  const failed = reconciles.flatMap((reconcile) =>
    reconcile.failed.map(({ address, failure }) => `${address}: ${failure.message}`),
  );
  throw new Error(`an estate ended as ${outcome} after ${reconciles.length} passes; ${failed.slice(0, 5).join('; ')}`);
}
