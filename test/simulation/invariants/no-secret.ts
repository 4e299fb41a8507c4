import { sings } from '../../support/canary.ts';
import type { Invariant } from './invariant.ts';

/** No secret in the ledger, plans, reports of a reconcile, the final knowledge, or tags on the cloud. */
export const noSecret: Invariant = {
  number: 10,
  name: 'no secret',
  broken: ({ cloud, ledger, plans, runs, end }) => {
    const told: readonly (readonly [where: string, thing: unknown])[] = [
      ['the ledger', ledger.entries],
      ['a plan', plans],
      ['what a pass told', runs.map((run) => run.told)],
      ['what was seen and known at the end', [end.sight.observation, ...end.sight.knowledge.pending]],
      ['what was applied', [...end.sight.knowledge.applied]],
      ['tags', cloud.inspect.live().map(({ record }) => record.tags)],
    ];
    return told.flatMap(([where, thing]) => (sings(JSON.stringify(thing)) ? [`a secret stands in ${where}`] : []));
  },
};
