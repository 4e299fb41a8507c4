import { type Action, powerField, withoutRestart } from '../action.ts';
import type { Desired } from '../desired.ts';
import type { FieldChange } from '../diff.ts';
import { categoryOf } from '../kinds/kinds.ts';
import { isStoppedByUs } from '../knowledge.ts';
import {
  type DriftRemediation,
  type FieldCategory,
  fieldCategories,
  type Remediation,
  type RemediationTerm,
  stricterRemediation,
} from '../remediation.ts';
import { wantedText } from '../render/value-text.ts';
import type { Address, Kind } from '../resource.ts';
import { lastApplied, movedBySpec } from './changes.ts';
import { isDelayed } from './contested.ts';
import { documentsOf, inGenerationBefore } from './holds.ts';
import type { Hold, PlanInput } from './plan-input.ts';
import { hasRemediations, type World } from './world.ts';

type Judged = Pick<PlanInput, 'wanted' | 'dialect' | 'choices' | 'pathOf'>;

/**
 * The changes of one resource by the remediation of their categories. It is asked of drift only: what a spec moved is carried out. A
 * firewall rule of which a spec moved a field is written whole, as a cloud may write no less.
 *
 *   the remediation  | without a person       | a person applies
 *   -----------------+------------------------+----------------------
 *   heal             | healed                 | healed
 *   propose          | an action of its own,  | healed with the rest
 *                    | withheld               |
 *   report           | an action of its own,  | the same
 *                    | withheld               |
 *   heal, of a field | an action of its own,  | healed
 *   that others write| withheld for a while   |
 *   again and again  |                        |
 *
 * An approval of that very action lets it pass; of `report` only one that names the resource is given.
 */
export function apartByRemediation(
  desired: Desired,
  changes: readonly FieldChange[],
  { input, hasRemediations: isUsed }: Pick<World, 'input' | 'hasRemediations'>,
): { readonly healed: readonly FieldChange[]; readonly apart: readonly (readonly FieldChange[])[] } {
  const { knowledge, choices } = input;
  const isKnown = knowledge.store !== undefined && lastApplied(desired, knowledge) !== undefined;
  if (!isKnown || !(isUsed || hasHealed(input))) return { healed: changes, apart: [] };
  const isMoved = movedBySpec(desired, input);
  const isStopped = isStoppedByUs(knowledge, desired.address);
  if (desired.kind === 'firewall-rule' && changes.some(isMoved)) return { healed: changes, apart: [] };
  const documents = desired.documents.map(({ address }) => address);
  const fates = Map.groupBy(changes, (change): Remediation | 'delayed' => {
    if (isMoved(change) || (isStopped && change.field === powerField)) return 'heal';
    const as = strictest({ kind: desired.kind, documents, changes: [change] }, input)?.value ?? 'heal';
    if (as !== 'heal' && !(as === 'propose' && choices?.unattended !== true)) return as;
    return isDelayed(desired, change, input) ? 'delayed' : 'heal';
  });
  const { propose = [], report = [], delayed = [], heal = [] } = Object.fromEntries(fates);
  return { healed: heal, apart: [propose, report, delayed].filter(({ length }) => length > 0) };
}

const hasHealed = ({ knowledge: { healed } }: PlanInput): boolean => healed !== undefined && healed.size > 0;

/**
 * Withholds drift that is not to be healed by itself, whatever its mode allows. Judged whole: a plan has parted its changes, and where a
 * newer generation is stricter since, none of them is sent.
 */
export function remediationHold(input: Judged): Hold {
  const { approved = () => false, unattended = false } = input.choices ?? {};
  const isUsed = hasRemediations(input);
  return (action) => {
    const found = isUsed ? remediationOf(action, input) : undefined;
    if (found === undefined || (found.value === 'propose' && !unattended) || approved(action)) return undefined;
    return { code: 'remediation', why: reason(action, found) };
  };
}

/** With the remediation of its drift, for people; as it is where that is `heal`. */
export function withRemediation(action: Action, world: Pick<World, 'input' | 'hasRemediations'>): Action {
  const found = world.hasRemediations ? remediationOf(action, world.input) : undefined;
  return found === undefined ? action : { ...action, remediation: found };
}

/**
 * The remediation of drift, by its category:
 *
 *   action, of drift                           | category
 *   -------------------------------------------+-----------------------------------------
 *   update                                     | of each field
 *   delete of a rule that nobody wrote         | traffic, by the document of its network
 *   create of a rule that vanished             | traffic
 *   any other: a machine, network or group     | none: it is made again
 *   that vanished, a twin, a replacement       |
 */
function remediationOf(action: Action, input: Judged): DriftRemediation | undefined {
  if (action.cause !== 'drift') return undefined;
  const { kind } = action;
  const documents = documentsOf(action);
  if (action.verb === 'update') return strictest({ kind, documents, changes: withoutRestart(action) }, input);
  const isTraffic =
    kind === 'firewall-rule' && (action.verb === 'create' || (action.verb === 'delete' && action.because === 'rogue'));
  return isTraffic ? strictestIn({ kind, documents }, 'traffic', input) : undefined;
}

interface Drifted {
  readonly kind: Kind;
  readonly documents: readonly Address[];
}

/** Of several changes the strictest, with the fields that it holds for. */
function strictest(
  { changes, ...drifted }: Drifted & { readonly changes: readonly FieldChange[] },
  input: Judged,
): DriftRemediation | undefined {
  let found: DriftRemediation | undefined;
  for (const { field } of changes) {
    const category = categoryOf(drifted.kind, field, input.dialect.holds.nameLabel);
    const one = category === 'ours' ? undefined : strictestIn(drifted, category, input);
    if (one === undefined) continue;
    if (found === undefined || (found.value !== one.value && one.value === 'report'))
      found = { ...one, fields: [field] };
    else if (found.value === one.value) found = { ...found, fields: [...(found.fields ?? []), field] };
  }
  return found;
}

/** The drift of a resource that Setpoint does not heal by itself, by category. */
export const remediationsOf = ({ kind, documents }: Desired, input: Judged): readonly DriftRemediation[] =>
  fieldCategories.flatMap(
    (category) => strictestIn({ kind, documents: documents.map(({ address }) => address) }, category, input) ?? [],
  );

/** By the documents of a resource, and by the generation before. */
function strictestIn(
  { kind, documents }: Drifted,
  category: FieldCategory,
  { wanted, choices = {}, pathOf = (path) => path }: Judged,
): DriftRemediation | undefined {
  const key = `${kind}.${category}` as const;
  const terms = documents.flatMap((address) => wanted.documents.get(address)?.remediation?.[key] ?? []);
  const term = terms.reduce<RemediationTerm | undefined>(
    (one, other) => (one === undefined || other.as === 'report' ? other : one),
    undefined,
  );
  const before = documents.flatMap((address) => choices.remediationBefore?.(address, key) ?? []);
  const former = before.reduce<Remediation>(stricterRemediation, 'heal');
  if (former !== 'heal' && former !== term?.as && stricterRemediation(former, term?.as ?? 'heal') === former)
    return { value: former, category, previousGeneration: true };
  if (term === undefined) return undefined;
  const { as, document, file, line } = term;
  return { value: as, category, document, file: pathOf(file), line };
}

function reason(
  action: Action,
  { value, category, document, file, line, previousGeneration }: DriftRemediation,
): string {
  const { address } = action;
  const differs = action.verb === 'update' ? `${wantedText(action.changes)}. ` : '';
  const by = previousGeneration ? ` ${inGenerationBefore}` : `, by ${document} at ${file}:${line}.`;
  const named = `setpoint approve --address ${address} --reason "…"`;
  const keep = action.verb === 'create' ? '' : ` To keep it: setpoint accept ${address}`;
  const stays =
    value === 'report'
      ? `Setpoint leaves it as it is. To heal it: ${named}.`
      : `To heal it: setpoint apply, or ${named}.`;
  return `${differs}The remediation of ${category} is ${value}${by} ${stays}${keep}`;
}
