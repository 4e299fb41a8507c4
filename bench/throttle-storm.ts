import type { Logged } from '../sandbox/request-log.ts';
import type { Converged } from '../src/engine/converge.ts';
import { memoryDatabase } from '../test/support/memory-store.ts';
import { type Shape, specFiles } from './estate/specs.ts';
import { type Figure, type Spoil, spoilNothing } from './figure.ts';
import { besides, openStage, type Stage } from './world/stage.ts';

/** 2,000 changes: networks with their subnets, groups, and rules in them. */
export const changes: Shape = {
  networks: 4,
  subnets: 2,
  groups: 100,
  rulesPerGroup: 4,
  machines: { documents: 0, replicas: 0 },
};

/** The part of all answers that are refusals, and for how long, ms. */
export interface Storm {
  readonly share: number;
  readonly forMs: number;
}

export const tenMinutes: Storm = { share: 0.5, forMs: 600_000 };

/**
 * An estate is made while the cloud refuses half of all requests for ten minutes, in virtual time. Asked: nothing fails; at most
 * 1.3 × the calls of an undisturbed run, refused ones apart; no rate limit is slowed twice for what was sent at once; within 60 s
 * of the storm's end the busiest rate limit goes at its full rate.
 */
export async function throttleStorm(
  shape: Shape = changes,
  storm: Storm = tenMinutes,
  spoil: Spoil = spoilNothing,
): Promise<readonly Figure[]> {
  const calm = await made(shape, { share: 0, forMs: 0 }, spoilNothing);
  const rough = await made(shape, storm, spoil);
  const floor = calm.answered.length;
  const value = rough.answered.length;
  return [
    { name: 'throttle-storm', value, unit: 'answered calls', floor, ratio: value / floor },
    { name: 'throttle-storm-failed', value: failedIn(rough.end), unit: 'resources' },
    { name: 'throttle-storm-twice', value: twiceSlowed(rough), unit: 'slow-downs for one refusal' },
    { name: 'throttle-storm-recovery', value: recovery(rough, storm), unit: 's of virtual time' },
  ];
}

interface Made {
  readonly end: Converged;
  readonly from: number;
  readonly answered: readonly Logged[];
  readonly refused: readonly Logged[];
  readonly slowed: ReadonlyMap<string, number>;
}

async function made(shape: Shape, { share, forMs }: Storm, spoil: Spoil): Promise<Made> {
  const stage = await openStage();
  const { control } = stage.sandbox;
  const { log, faults } = control;
  const slowed = new Map<string, number>();
  const note = (rateLimit: string): void => void slowed.set(rateLimit, (slowed.get(rateLimit) ?? 0) + 1);
  const apply = besides(stage, 'storm', memoryDatabase(stage.time.clock).connect(), note);
  try {
    const from = stage.time.clock.now();
    if (share > 0) faults.add({ match: { probability: share }, effect: { kind: 'throttle' } });
    const end = await stage.time.run(async () => {
      void stage.time.clock.sleep(forMs).then(() => {
        faults.clear();
        spoil(control);
      });
      return apply(specFiles(shape, stage.place));
    });
    tellOf(stage, from);
    const all = log.entries();
    const refused = all.filter(isRefused);
    return { end, from, answered: all.filter((entry) => !isRefused(entry)), refused, slowed };
  } finally {
    await stage.close();
  }
}

const isRefused = ({ errorCode }: Logged): boolean => errorCode === 'RequestLimitExceeded';

function tellOf({ sandbox, time }: Stage, from: number): void {
  const minutes = ((time.clock.now() - from) / 60_000).toFixed(1);
  console.error(`throttle-storm: ${minutes} virtual minutes, ${JSON.stringify(sandbox.control.log.counts())}`);
}

function failedIn({ outcome, rounds: reconciles, last }: Converged): number {
  if (outcome !== 'done') console.error(`throttle-storm: it ended as ${outcome}: ${JSON.stringify(reconciles.at(-1))}`);
  return outcome === 'done' ? 0 : Math.max(1, last?.plan.actions.length ?? 1);
}

/** In virtual time a round trip takes none: what was refused on a rate limit at one moment is one refusal. */
function twiceSlowed({ refused, slowed }: Made): number {
  const moments = new Map<string, Set<number>>();
  for (const { action, time } of refused) moments.set(action, (moments.get(action) ?? new Set()).add(time));
  return [...slowed].reduce((sum, [rateLimit, times]) => {
    // why: what an action spends besides has its name and more, `RunInstances:instances`
    const [action = ''] = rateLimit.split('/').at(-1)?.split(':') ?? [];
    return sum + Math.max(0, times - (moments.get(action)?.size ?? 0));
  }, 0);
}

/** CreateSecurityGroup and AuthorizeSecurityGroupIngress have 5 a second: half a percent slower is full. */
const fullGapMs = 201;
const inARow = 5;

/** From the storm's end until requests of the busiest rate limit follow each other at its full rate. */
function recovery({ answered, from }: Made, { forMs }: Storm): number {
  const after = answered.filter(({ time, action }) => action === 'CreateSecurityGroup' && time >= from + forMs);
  const full = after.findIndex((entry, i) => {
    const later = after[i + inARow];
    return later !== undefined && later.time - entry.time <= fullGapMs * inARow;
  });
  const first = after[full];
  if (first === undefined) throw new Error('too little is left to do after the storm to tell');
  return (first.time - from - forMs) / 1000;
}
