import type { Action, Finding, ScopePlan } from '../action.ts';
import { attributeOf } from '../compile/terms.ts';
import type { PatchDraft } from '../patch.ts';
import type { Address } from '../resource.ts';

/** The effect of a patch on the clouds as specs alone show it, there and back, and the reasons to refuse it. */
export interface PatchJudgement {
  /** The resources that it changes. */
  readonly addresses: ReadonlySet<Address>;
  /** Machines that its end deletes, and those that it stops. */
  readonly atEnd: { readonly deletes: number; readonly stops: number };
  readonly refusals: readonly string[];
}

interface ThereAndBack {
  /** From the specs to the specs with the patch. */
  readonly there: readonly ScopePlan[];
  /** From the specs with the patch to those that hold at its end. */
  readonly back: readonly ScopePlan[];
}

/**
 * Judges a patch before it is recorded. A patch changes fields of what stands; what it cannot take back alike is a commit's business.
 *
 *   what it would do                            | judged
 *   --------------------------------------------+------------------------------------------------
 *   update in place, or stop and start          | goes
 *   a rule's atoms change, whatever the way     | goes: that is how a rule is changed
 *   more machines                               | goes; they are deleted at its end
 *   replace, adopt, or fewer machines           | refused
 *   delete or make a network, subnet, group     | refused
 *   blocked, or withheld by `protect` or a mode | refused
 *   at its end: replace, blocked, withheld,     | refused: nothing would take it back
 *   something else deleted, or left behind      |
 *   nothing                                     | refused
 */
export function judgePatch({ there, back }: ThereAndBack): PatchJudgement {
  const actions = there.flatMap((plan) => plan.actions);
  const ends = back.flatMap((plan) => plan.actions);
  const found = [
    ...actions.flatMap((action) => (isOfPatch(action) ? [] : [`It would ${inWords(action)}.`])),
    ...there.flatMap(({ findings }) => findings.flatMap(findingText)),
    ...ends.flatMap((action) => (isOfPatchEnd(action) ? [] : [`At its end it would ${inWords(action)}.`])),
    ...back.flatMap(({ findings }) => findings.flatMap(findingText).map((text) => `At its end: ${text}`)),
  ];
  const nothing = actions.length + found.length === 0 ? ['It changes nothing on the clouds.'] : [];
  return {
    addresses: new Set(actions.map(({ address }) => address)),
    atEnd: {
      deletes: ends.filter(({ verb, kind }) => verb === 'delete' && kind === 'instance').length,
      stops: ends.filter((action) => action.verb === 'update' && action.effect === 'stops').length,
    },
    refusals: [...new Set([...found, ...nothing])],
  };
}

const isOfPatch = ({ verb, kind }: Action): boolean => {
  if (verb === 'update' || kind === 'firewall-rule') return verb !== 'adopt' && verb !== 'forget';
  return verb === 'create' && kind === 'instance';
};

const isOfPatchEnd = (action: Action): boolean =>
  isOfPatch(action) || (action.verb === 'delete' && action.because === 'scaled-down');

const inWords = ({ verb, kind, address }: Action): string => `${verb} the ${kind} ${address}`;

function findingText(found: Finding): readonly string[] {
  switch (found.type) {
    case 'blocked':
    case 'non-convergent':
    case 'withheld':
    case 'orphan':
      return [found.why];
    default:
      return [];
  }
}

/**
 * True where an action destroys something because of a patch: it deletes machines of it, or replaces one for a field that it sets. No such
 * patch begins; this holds for one that came to it by a later commit or by what a cloud did since.
 */
export function destroysByPatch(action: Action, { kind, fields }: Pick<PatchDraft, 'kind' | 'fields'>): boolean {
  if (kind === 'FirewallRule') return false;
  const set = fields.map(({ path }) => attributeOf(fieldIn(path)));
  if (action.verb === 'delete') return action.because === 'scaled-down' && set.includes('replicas');
  if (action.verb !== 'replace') return false;
  return action.changes.some(({ field }) => set.some((one) => field === one || field.startsWith(`${one}.`)));
}

/** As people write it, whatever target it is for. */
function fieldIn([, ...steps]: readonly string[]): string {
  return (steps[0] === 'on' ? steps.slice(2) : steps).join('.');
}
