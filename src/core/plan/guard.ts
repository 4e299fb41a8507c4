import type { Action } from '../action.ts';
import { documentOfReplica } from '../address.ts';
import type { Mode } from '../desired.ts';
import { strictest } from '../mode.ts';
import type { Address } from '../resource.ts';
import type { PlanInput, Policy, Wanted } from './plan-input.ts';

/**
 * `observe` only reads; without a person only `enforce` acts, and what a person approved. What was in mode `plan` in the generation
 * before is so in this one too: no commit lifts its own guard. Forgetting what is gone is no write to a cloud.
 */
export function modePolicy({ wanted, choices = {} }: Pick<PlanInput, 'wanted' | 'choices'>): Policy {
  const { unattended = false, approved = () => false, modesBefore } = choices;
  return (action) => {
    if (action.verb === 'forget') return undefined;
    const mode = modeOf(action, wanted);
    if (mode === 'observe') return { code: 'mode', why: 'its mode is observe: read only.' };
    if (action.verb === 'delete' && action.because === 'again') return undefined;
    const wasPlan = documentsOf(action).some((address) => modesBefore?.(address) === 'plan');
    if ((mode === 'enforce' && !wasPlan) || !unattended || approved(action)) return undefined;
    return { code: 'mode', why: `its mode ${mode === 'plan' ? 'is plan' : before}: a person ${applies}` };
  };
}

const before = 'was plan in the generation before, and that it is looser counts from the next one on';
const applies = 'applies it, or approves it with: setpoint approve';

/** `protect` holds for the document's own word and, in the store, beyond it. */
export function protectPolicy({ knowledge, wanted }: PlanInput): Policy {
  return (action) => {
    if (action.verb !== 'delete' && action.verb !== 'replace') return undefined;
    if (action.verb === 'delete' && (action.because === 'twin' || action.because === 'again')) return undefined;
    const stated = action.verb === 'replace' ? action.desired.terms.protect : isProtected(action, wanted);
    const kept = knowledge.settled.get(action.observed.id)?.terms.protect ?? false;
    if (!stated && !kept) return undefined;
    return {
      code: 'protect',
      why: `protected: no plan may ${action.verb} it. Set protect: false, apply that, then try again.`,
    };
  };
}

/** What was adopted where no mark can be written is ours by the store's word alone: too little to remove it by. */
export function storeOnlyPolicy({ knowledge }: PlanInput): Policy {
  return (action) => {
    if (action.verb !== 'delete' && action.verb !== 'replace') return undefined;
    if (!knowledge.settled.get(action.observed.id)?.terms.storeOnly) return undefined;
    return {
      code: 'adopted-in-store-only',
      why: 'it was adopted, and bears no mark of ours: no plan deletes it. Delete it by hand, or let it go with: setpoint forget.',
    };
  };
}

/**
 * The documents that an action is about. A removal seldom names one: it is of its machine's document, though that wants
 * fewer, or of the network that it stands in.
 */
export function documentsOf(action: Action): readonly Address[] {
  if (action.documents.length > 0) return action.documents.map(({ address }) => address);
  if (action.verb !== 'delete') return [];
  const { kind, attributes } = action.observed;
  if (kind === 'instance') return [documentOfReplica(action.address)];
  return ['network' in attributes ? attributes.network : action.address];
}

/** The documents whose `protect` an action must heed. A network's is not of the rules in it: see governing.ts. */
export const protectorsOf = (action: Action): readonly Address[] =>
  documentsOf(action).filter((address) => action.kind !== 'firewall-rule' || address.includes('/firewall-rule/'));

const isProtected = (action: Action, { documents }: Wanted): boolean =>
  protectorsOf(action).some((address) => documents.get(address)?.protect);

/**
 * What one generation says of an action that another one wants, with nobody there: only where it says `enforce`, and nothing is
 * destroyed that it protects.
 */
export const heedingPolicy =
  (wanted: Wanted): Policy =>
  (action) => {
    if (action.verb === 'forget') return undefined;
    const mode = saidMode(action, wanted);
    if (mode !== 'enforce') return { code: 'mode', why: `its mode is ${mode} in the newest generation.` };
    const destroys = action.verb === 'replace' || action.verb === 'delete';
    if (!destroys || !isProtected(action, wanted)) return undefined;
    return { code: 'protect', why: 'it is protected in the newest generation.' };
  };

/** What nobody speaks of any more has the mode of its target. */
function modeOf(action: Action, wanted: Wanted): Mode {
  return action.verb === 'delete' || action.verb === 'forget' ? saidMode(action, wanted) : action.desired.terms.mode;
}

function saidMode(action: Action, { documents, mode }: Wanted): Mode {
  const said = documentsOf(action).flatMap((address) => documents.get(address)?.mode ?? []);
  return said.length === 0 ? mode : strictest(said);
}
