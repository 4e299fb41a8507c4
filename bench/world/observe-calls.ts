import type { Observation } from '../../src/core/observed.ts';
import type { Kind } from '../../src/core/resource.ts';
import type { Figure, Spoil } from '../figure.ts';
import { type CloudScope, openStage, type Stage } from './stage.ts';

/** A scope to be looked at, and what there is to see. */
interface ObservedScope {
  readonly name: string;
  readonly cloudScope: CloudScope;
  readonly options: Parameters<typeof openStage>[0];
  /** Fills the account. */
  load(stage: Stage): void;
  /** Of each kind, as the sandbox has them. */
  count(stage: Stage): Readonly<Partial<Record<Kind, number>>>;
  /** The fewest calls that can tell all of it. */
  floor(stage: Stage): number;
}

/**
 * One look at a full scope through the real SDK, with the published budgets on and the sandbox's virtual time for whoever
 * waits for them. No figure where a call was refused or throttled, wrote, or something was not seen.
 */
export async function lookCalls(scope: ObservedScope, spoil: Spoil): Promise<readonly Figure[]> {
  const stage = await openStage(scope.options, scope.cloudScope);
  const { control } = stage.sandbox;
  try {
    scope.load(stage);
    const there = scope.count(stage);
    await spoil(control);
    console.error(`${scope.name}: looking at ${JSON.stringify(there)}`);
    const from = stage.time.clock.now();
    const seen = await stage.look();
    const waited = (stage.time.clock.now() - from) / 1000;
    refuseBlind(seen, there);
    const entries = control.log.entries();
    const refused = entries.filter(({ status }) => status !== 200);
    if (refused.length > 0) throw new Error(`${refused.length} calls were refused, first ${refused[0]?.errorCode}`);
    if (entries.some(({ mutating }) => mutating)) throw new Error('a look wrote');
    console.error(`${scope.name}: ${JSON.stringify(control.log.counts())}, ${waited} s of virtual time for budgets`);
    const floor = scope.floor(stage);
    return [{ name: scope.name, value: entries.length, unit: 'calls', floor, ratio: entries.length / floor }];
  } finally {
    await stage.close();
  }
}

/** Throws where a kind has a gap, or another number than stands there. */
function refuseBlind({ gaps, resources }: Observation, there: Readonly<Partial<Record<Kind, number>>>): void {
  const [gap] = gaps;
  if (gap) throw new Error(`not all could be listed: ${gap.kind}: ${gap.reason}`);
  const seen = Map.groupBy(resources, ({ kind }) => kind);
  for (const [kind, number] of Object.entries(there)) {
    const found = [...seen].find(([each]) => each === kind)?.[1].length ?? 0;
    if (found !== number) throw new Error(`${found} of ${number} were seen: ${kind}`);
  }
}

/** A listing that is used, and how many of what it lists there are. */
interface Paged {
  readonly page: number;
  readonly items: number;
}

/** Pages of all listings: an empty one is a page too. */
export const pagesOf = (listings: readonly Paged[]): number =>
  listings.reduce((calls, { page, items }) => calls + Math.max(1, Math.ceil(items / page)), 0);
