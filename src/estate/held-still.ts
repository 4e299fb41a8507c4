import type { CompiledScope } from '../core/compile/compile.ts';
import type { Guards } from '../core/limits.ts';
import type { PauseDraft } from '../core/pause.ts';
import type { Policy, Wanted } from '../core/plan/plan-input.ts';
import { pausePolicy } from '../core/plan/policies.ts';

/**
 * What people hold still, over all scopes of an estate: whose an action is and for which targets is for the specs of its own
 * scope to say. What is in none of them may be of any target, and is whose it was `before`, in the generation before.
 */
export function heldStill(
  pauses: readonly PauseDraft[],
  scopes: readonly CompiledScope[],
  before?: Pick<Guards, 'owners'>,
): Policy {
  const held = (wanted: Wanted): Policy => pausePolicy(pauses, wanted, before?.owners);
  const elsewhere = held({ ...nothing, targets: scopes.flatMap(({ wanted }) => wanted.targets) });
  const here = scopes.map(({ scope, wanted }) => ({ at: `${scope}/`, policy: held(wanted) }));
  return (action) => (here.find(({ at }) => action.address.startsWith(at))?.policy ?? elsewhere)(action);
}

const nothing = { desired: [], documents: new Map(), additive: new Set<string>(), mode: 'observe' } as const;
