import type { Invariant } from './invariant.ts';

/** Every object with our mark is known, pending or reported; a part stands and falls with its resource. */
export const noLeak: Invariant = {
  number: 2,
  name: 'no leak',
  broken: ({ cloud, end }) => {
    const { plan, knowledge, observation } = end.sight;
    const parts = observation.resources.flatMap(({ condition }) => condition.parts ?? []).map(({ id }) => id);
    const told = plan.findings.flatMap((finding) => ('id' in finding ? [finding.id] : []));
    const known = new Set([...knowledge.settled.keys(), ...parts, ...told]);
    const pending = new Set(knowledge.pending.map(({ address }) => address));
    return cloud.inspect
      .live()
      .filter(({ id, mark }) => mark && !known.has(id) && !pending.has(mark.address ?? ''))
      .map(({ id, type, mark }) => `${type} ${id} bears the mark of ${mark?.address}, and nobody speaks of it`);
  },
};
