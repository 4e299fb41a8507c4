import type { ChangeEntry } from '../../../providers/memory/cloud/history.ts';
import { type Packet, reachWorld, triedIn, wantedFilter } from '../reach.ts';
import type { RunTrace } from '../trace.ts';
import { type Invariant, unique } from './invariant.ts';

/**
 * Judged between machines over time, and not by the group that a rule stands in: no call of ours shuts what got through when
 * the run began to write, and what the specs of that run want to get through. Which packet goes by which rule does not matter.
 */
export const noTrafficGap: Invariant = {
  number: 13,
  name: 'no traffic gap',
  broken: ({ cloud, runs }) => unique(gapsIn(cloud.history.changes, runs)),
};

type Run = Pick<RunTrace, 'name' | 'desired'>;

/** In words. `runs`: the runs under judgement, by their names in the history. */
export function gapsIn(changes: readonly ChangeEntry[], runs: readonly Run[]): readonly string[] {
  const byName = new Map(runs.map((run) => [run.name, run]));
  const world = reachWorld(triedIn(changes));
  const began = new Map<Run, (packet: Packet) => boolean>();
  return [...Map.groupBy(changes, ({ seq }) => seq).values()].flatMap((call) => {
    const run = byName.get(call[0]?.caller ?? '');
    if (run !== undefined && !began.has(run)) began.set(run, world.now());
    const open =
      run === undefined
        ? []
        : call.flatMap((change) => world.touched(change)).filter((packet) => world.reaches(packet));
    for (const change of call) world.apply(change);
    const shut = open.filter((packet) => world.standsAt(packet) && !world.reaches(packet));
    if (run === undefined || shut.length === 0) return [];
    const wanted = wantedFilter(run.desired, world);
    const before = shut.filter((packet) => began.get(run)?.(packet));
    return before
      .filter((packet) => wanted.reaches(packet))
      .map((packet) => `${run.name} shut ${wordsOf(packet)}, which is wanted`);
  });
}

const wordsOf = ({ from, to, protocol, port }: Packet): string => `${protocol}/${port} from ${from} to ${to}`;
