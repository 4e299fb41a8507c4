import { type Action, actionKey, type Finding, type ScopePlan, withheldKey } from '../action.ts';

/** The fate of a change that somebody made on a cloud outside Setpoint. */
export const healings = ['undoes', 'relaunches', 'replaces', 'deletes', 'withheld', 'none'] as const;
export type Healing = (typeof healings)[number];

/**
 * Says of each action and finding of a plan whether healing undoes the change that led to it; undefined where no such change did.
 *
 *   of drift                                           | healing
 *   ---------------------------------------------------+-----------
 *   an update; a rule that nobody wrote goes; a        | undoes
 *   resource that vanished, other than a machine       |
 *   a machine that vanished: its data is gone          | relaunches
 *   a replacement                                      | replaces
 *   another deletion (a twin, one that shows again)    | deletes
 *   any of them that is withheld, and its finding      | withheld
 *   an unmanaged object: nobody's documents want it    | none
 */
export function healingIn({ findings }: Pick<ScopePlan, 'findings'>): (one: Action | Finding) => Healing | undefined {
  const held = new Set(findings.flatMap((found) => (found.type === 'withheld' ? [withheldKey(found)] : [])));
  return (one) => {
    if ('type' in one) return ofFinding(one);
    const healing = one.cause === 'drift' ? ofAction(one) : undefined;
    return healing !== undefined && held.has(actionKey(one)) ? 'withheld' : healing;
  };
}

function ofFinding(found: Finding): Healing | undefined {
  if (found.type === 'unmanaged') return 'none';
  return found.type === 'withheld' && found.cause === 'drift' && heals(found.action) ? 'withheld' : undefined;
}

const heals = (verb: Action['verb']): boolean => verb !== 'forget' && verb !== 'adopt';

function ofAction(action: Action): Healing | undefined {
  switch (action.verb) {
    case 'create':
      return action.kind === 'instance' ? 'relaunches' : 'undoes';
    case 'update':
      return 'undoes';
    case 'replace':
      return 'replaces';
    case 'delete':
      return action.because === 'rogue' ? 'undoes' : 'deletes';
    case 'adopt':
    case 'forget':
      return undefined;
  }
}
