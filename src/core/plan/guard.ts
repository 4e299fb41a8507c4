import type { Action } from '../action.ts';
import type { Mode } from '../desired.ts';
import type { PlanInput, Policy } from './plan-input.ts';

/** `observe` only reads; without a person only `enforce` acts. Forgetting what is gone is no write to a cloud. */
export function modePolicy({ wanted, choices = {} }: PlanInput): Policy {
  const unattended = choices.unattended ?? false;
  return (action) => {
    const mode = modeOf(action, wanted.mode);
    if (action.verb === 'forget' || mode === 'enforce' || (mode === 'plan' && !unattended)) return undefined;
    return {
      code: 'mode',
      why: mode === 'observe' ? 'its mode is observe: read only.' : 'its mode is plan: a person applies it.',
    };
  };
}

/** `protect` holds for the document's own word and, in the store, beyond it. */
export function protectPolicy({ knowledge }: PlanInput): Policy {
  return (action) => {
    if (action.verb !== 'delete' && action.verb !== 'replace') return undefined;
    if (action.verb === 'delete' && action.because === 'twin') return undefined;
    const stated = action.verb === 'replace' && action.desired.terms.protect;
    const kept = knowledge.settled.get(action.observed.id)?.terms.protect ?? false;
    if (!stated && !kept) return undefined;
    return {
      code: 'protect',
      why: `protected: no plan may ${action.verb} it. Set protect: false, apply that, then try again.`,
    };
  };
}

const modeOf = (action: Action, fallback: Mode): Mode =>
  action.verb === 'delete' || action.verb === 'forget' ? fallback : action.desired.terms.mode;
