import type { Action } from '../action.ts';
import { documentOfReplica } from '../address.ts';
import { type Birth, failedBirths, mostFailedBirths, whyStopped } from '../births.ts';
import type { Address } from '../resource.ts';
import type { PlanInput, Policy } from './plan-input.ts';

/**
 * Holds launches whose like failed at birth. A document that asks for something else has no failed births: it begins anew.
 *
 *   failed births in a row | rollout            | healing
 *   -----------------------+--------------------+---------
 *   none                   | passes             | passes
 *   1 or 2                 | held               | passes: what stands as specified comes back
 *   3 and more             | held               | launches are held
 */
export function failedBirthsPolicy({ wanted, knowledge }: PlanInput): Policy {
  const failed = failedBirths(wanted.desired, knowledge);
  if (failed.size === 0) return () => undefined;
  return (action) => {
    const document = documentOfReplica(action.address);
    const births = action.kind === 'instance' ? (failed.get(document) ?? []) : [];
    if (births.length === 0) return undefined;
    if (births.length >= mostFailedBirths && isLaunch(action))
      return { code: 'failed-births', why: `nothing more is launched: ${wayOn(document, births)}` };
    if (!isLaunch(action) && action.verb !== 'update') return undefined;
    if (action.cause === 'drift') return undefined;
    return { code: 'rollout-stopped', why: `stopped: ${wayOn(document, births)}` };
  };
}

const isLaunch = ({ verb }: Action): boolean => verb === 'create' || verb === 'replace';

const wayOn = (document: Address, births: readonly Birth[]): string =>
  `${whyStopped(births)}. To go on: setpoint resume --rollout-of ${document} --reason "…"; to go back: commit the former spec.`;
