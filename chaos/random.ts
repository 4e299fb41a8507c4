import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Figure } from '../bench/figure.ts';
import { bigCensus } from './fleet/big-census.ts';
import { bigEstate, countOf, type Size } from './fleet/big-estate.ts';
import { type Fleet, withFleet } from './fleet/fleet.ts';
import { censusOf, differences } from './judge/census.ts';
import { trialClouds } from './specs.ts';
import { violationsFigure } from './violations.ts';

/**
 * Workers killed at random while an estate on three clouds keeps changing: `--kills` (200) of four workers over `--resources`
 * (2000). Then it is left alone: it must come to what the specs say, with nothing double, lost or left, whole in its ledger,
 * and be quiet. `value`: objects too many and too few, and calls of the quiet passes.
 */
export async function random(args: readonly string[]): Promise<readonly Figure[]> {
  const { values } = parseArgs({
    args: [...args],
    options: { kills: { type: 'string', default: '200' }, resources: { type: 'string', default: '2000' } },
  });
  const [kills, resources] = [Number(values.kills), Number(values.resources)];
  const size = sizeFor(resources);
  console.error(`random: ${countOf(size)} resources`);
  return withFleet({ count: 4, specs: (endpoint) => bigEstate(endpoint, size, 0) }, async (fleet) => {
    const turn = await killAtRandom(fleet, size, kills);
    const from = performance.now();
    const left = await comesToRest(fleet, size, turn);
    const restedMs = performance.now() - from;
    const writes = await writesOfQuietPasses(fleet);
    const violations = [
      ...left,
      ...(await fleet.verify()),
      ...Array.from({ length: writes }, () => 'a quiet pass sent a call that writes'),
      ...fleet.workers.fallen(),
    ];
    if (violations.length > 0) console.error(fleet.workers.said());
    return [
      violationsFigure('random-kills', violations),
      { name: 'random-kills-rest', value: Math.round(restedMs / 1000), unit: 's' },
    ];
  });
}

/** Mostly rules, a group for ten of them, and a machine for each five. */
function sizeFor(resources: number): Size {
  const perCloud = resources / trialClouds.length;
  const machines = Math.max(4, Math.round(perCloud / 12));
  const groups = Math.max(2, Math.round((perCloud - machines) / 11));
  return { groups, rules: 10, machines };
}

const changeEvery = 5;

/** One of them every two seconds or so; after some the specs ask for something else. Returns what they asked for last. */
async function killAtRandom(fleet: Fleet, size: Size, kills: number): Promise<number> {
  const { workers, sandbox } = fleet;
  let turn = 0;
  await sleep(5000);
  for (let killed = 0; killed < kills; ) {
    await sleep(500 + Math.random() * 3000);
    const pids = workers.pids();
    const pid = pids[Math.floor(Math.random() * pids.length)];
    if (pid === undefined || !workers.kill(pid)) continue;
    killed += 1;
    if (killed % changeEvery === 0) {
      turn += 1;
      await fleet.want(bigEstate(sandbox.url, size, turn));
      console.error(`random: ${killed} killed`);
    }
  }
  return turn;
}

const longestMs = 900_000;

/** What is still too many or too few once nothing changes any more; nothing where it came to be whole. */
async function comesToRest({ sandbox }: Fleet, size: Size, turn: number): Promise<readonly string[]> {
  const wrong = (): readonly string[] =>
    trialClouds.flatMap((cloud) =>
      differences(censusOf(cloud, sandbox.control), bigCensus(cloud, size, turn)).map((line) => `${cloud} ${line}`),
    );
  for (const until = performance.now() + longestMs; performance.now() < until; await sleep(1000))
    if (wrong().length === 0) return [];
  return wrong();
}

/** Two rounds of periodic passes. */
const quietMs = 70_000;

/** What was begun before it was quiet comes to its end within so long, even on a machine with too much to do. */
const endsInMs = 10_000;
const longestEndMs = 180_000;

async function writesOfQuietPasses({ sandbox }: Fleet): Promise<number> {
  const { log } = sandbox.control;
  const writes = (): number => log.entries({ mutating: true }).length;
  const writesIn = async (ms: number): Promise<number> => {
    const before = writes();
    await sleep(ms);
    return writes() - before;
  };
  for (const until = performance.now() + longestEndMs; performance.now() < until; )
    if ((await writesIn(endsInMs)) === 0) break;
  return writesIn(quietMs);
}
