import { type Cause, powerField } from '../action.ts';
import type { Dialect } from '../compile/dialect.ts';
import { type Desired, isAdoptedRule, isClaimedInStore, isStatedRule } from '../desired.ts';
import { diff, type FieldChange } from '../diff.ts';
import { isKept, keptAddress, keptFields, keptRules } from '../kinds/kept-fields.ts';
import { effectOf, rulesOf } from '../kinds/kinds.ts';
import { type Applied, isStoppedByUs, type Knowledge } from '../knowledge.ts';
import type { Observed } from '../observed.ts';
import { bearsEqualMark, isAdopted, markChange } from './marks.ts';
import type { PlanInput } from './plan-input.ts';

/**
 * The differing fields that are ours to change: stated fields, and those that the last applied spec stated and this one no
 * longer does.
 */
export function changesOf(
  desired: Desired,
  observed: Observed,
  { knowledge, dialect }: Pick<PlanInput, 'knowledge' | 'dialect'>,
): readonly FieldChange[] {
  const applied = lastApplied(desired, knowledge);
  const fixed = isClaimedInStore(desired, dialect.holds.fixedMarks);
  const fields = [
    ...diff(desired.attributes, observed.attributes),
    ...nameChange(desired, observed, { knowledge, dialect }),
    ...(lacksName(desired, observed.name) ? [{ field: fixedName, from: observed.name, to: desired.name }] : []),
    ...removed(desired, observed, asSpelled(applied, observed, { desired, dialect })).filter(
      ({ field }) => field !== nameField(desired, dialect),
    ),
  ].filter(
    (change) =>
      isSeen(change, desired, knowledge) && !isUnlisted(change, observed) && !isStaticAddress(change, observed),
  );
  const marking = { knowledge, holds: dialect.holds };
  const all = [
    ...fields,
    ...(fixed ? [] : markChange(desired, observed, fields, marking)),
    ...termsChanges(desired, observed, {
      knowledge,
      fixed: fixed || bearsEqualMark(desired, observed, fields, marking),
    }),
  ];
  return all.filter((change) => isSeen(change, desired, knowledge));
}

const isSeen = (change: FieldChange, desired: Desired, knowledge: Knowledge): boolean =>
  !ignored(change, desired, knowledge) && !unknowable(change) && effectOf(desired.kind, change) !== 'unseen';

/** Nobody knows the value: its listing failed. */
const isUnlisted = ({ field }: FieldChange, { condition }: Observed): boolean =>
  (condition.unlisted ?? []).some(({ setting }) => field === `settings.${setting}`);

/** A public address is asked for, and the machine has one that people reserved: on AWS it hides the one of the cloud. */
const isStaticAddress = ({ field, to }: FieldChange, { attributes, condition }: Observed): boolean =>
  field === 'placement.publicIp' &&
  to === true &&
  'machine' in attributes &&
  attributes.settings?.staticPublicIp !== undefined &&
  condition.assigned?.includes('staticPublicIp') !== true;

/** The cause: a changed spec or a changed cloud. Several changes are a rollout if one of them is. */
export function causeOf(
  desired: Desired,
  changes: readonly FieldChange[],
  input: Pick<PlanInput, 'knowledge' | 'dialect'>,
): Cause {
  const { knowledge } = input;
  if (knowledge.store === undefined) return 'unknown';
  if (lastApplied(desired, knowledge) === undefined) return 'rollout';
  return changes.some(movedBySpec(desired, input)) ? 'rollout' : 'drift';
}

/** The fields that were applied to a resource last: at its address, or at a former one where its document renames it now. */
export function lastApplied(
  { address, terms }: Pick<Desired, 'address' | 'terms'>,
  { applied }: Pick<Knowledge, 'applied'>,
): Applied | undefined {
  const former = terms.claim?.was ?? [];
  return [address, ...former].map((one) => applied.get(one)).find((one) => one !== undefined);
}

const isRenamed = (desired: Desired, { applied }: Knowledge): boolean =>
  !applied.has(desired.address) && lastApplied(desired, { applied }) !== undefined;

/**
 * Tells the changes of fields that a spec moved since the resource was applied last. Another way to write the same is no move. None
 * where nobody knows it: without a store, and where nothing was applied (adoption, takeover).
 */
export function movedBySpec(
  desired: Desired,
  { knowledge, dialect }: Pick<PlanInput, 'knowledge' | 'dialect'>,
): (change: FieldChange) => boolean {
  const applied = asSpelled(lastApplied(desired, knowledge), desired, { desired, dialect });
  if (knowledge.store === undefined || applied === undefined) return () => false;
  const moved = new Set(diff(desired.attributes, applied).map(({ field }) => field));
  const name = nameField(desired, dialect);
  if (name !== undefined && valueAt(applied, name) !== valueAt(desired.attributes, name)) moved.add(name);
  if (isRenamed(desired, knowledge)) moved.add('mark');
  return ({ field, to }) =>
    moved.has(field) || field === fixedName || isKept(field) || (to === undefined && field !== 'mark');
}

/**
 * The cause of a creation: the resource vanished as it was applied last, or it is new, or asked for otherwise by now. Another way
 * to write the same is no change, nor is another number that the planner gives.
 */
export function causeOfReturn(
  desired: Desired,
  { knowledge, dialect }: Pick<PlanInput, 'knowledge' | 'dialect'>,
): Cause {
  if (knowledge.store === undefined) return 'unknown';
  const applied = asSpelled(knowledge.applied.get(desired.address), desired, { desired, dialect });
  if (applied === undefined) return isBornWith(desired, knowledge) ? 'drift' : 'rollout';
  const moved = diff(desired.attributes, applied).filter(
    ({ field }) => field !== assignedPriority || !hasAssignedPriority(desired, dialect),
  );
  return moved.length === 0 ? 'drift' : 'rollout';
}

const assignedPriority = 'order.priority';

/** True where the planner gives this one its number. */
const hasAssignedPriority = (one: Desired, { rules }: Pick<Dialect, 'rules'>): boolean =>
  rules.numbering !== undefined && isStatedRule(one) && !isAdoptedRule(one);

/**
 * True if the cloud created it with its group, and nobody asked since to delete it: no store records such a rule, for nobody sent it. A group
 * whose egress was closed by its spec lost the rule by that.
 */
function isBornWith({ terms, attributes }: Desired, { applied }: Knowledge): boolean {
  if (terms.presence !== 'implied' || !('group' in attributes) || attributes.group === undefined) return false;
  const group = applied.get(attributes.group);
  return group !== undefined && !('defaultEgress' in group.attributes && group.attributes.defaultEgress === 'deny');
}

/** The applied attributes in the spelling of `observed`, like the desired ones: a key may have another case there. */
function asSpelled(
  applied: Applied | undefined,
  { kind, name, attributes }: Pick<Observed, 'kind' | 'name' | 'attributes'>,
  { desired, dialect }: { readonly desired: Desired; readonly dialect: PlanInput['dialect'] },
): object | undefined {
  if (applied === undefined || dialect.matchSpelling === undefined) return applied?.attributes;
  const words: Observed = { kind, id: '', name, attributes, signs: {}, condition: { state: 'ready' } };
  // why: the applied values at an address are of the kind of its document
  return dialect.matchSpelling({ ...desired, attributes: applied.attributes } as Desired, words).attributes;
}

function removed(
  { kind, attributes }: Desired,
  observed: Observed,
  applied: object | undefined,
): readonly FieldChange[] {
  if (applied === undefined) return [];
  const { removable } = rulesOf(kind);
  return diff(applied, attributes)
    .filter(
      ({ field, to, from }) =>
        from === undefined && to !== undefined && removable.some((r) => field === r || field.startsWith(`${r}.`)),
    )
    .flatMap(({ field }) => {
      const from = valueAt(observed.attributes, field);
      return from === undefined ? [] : [{ field, from }];
    });
}

/** `labels.tier` → the value there. Label keys may hold dots, so a map's key is all that follows its name. */
function valueAt(attributes: object, field: string): unknown {
  const cut = field.indexOf('.');
  const [head, rest] = cut < 0 ? [field, ''] : [field.slice(0, cut), field.slice(cut + 1)];
  const value: unknown = Reflect.get(attributes, head);
  if (rest === '') return value;
  return typeof value === 'object' && value !== null ? Reflect.get(value, rest) : undefined;
}

/** The label that bears the name of such a resource, as a field: `labels.Name`. Undefined where the name is no label. */
const nameField = ({ attributes }: Pick<Desired, 'attributes'>, { holds }: PlanInput['dialect']): string | undefined =>
  holds.nameLabel === undefined || !('labels' in attributes) ? undefined : `labels.${holds.nameLabel}`;

/**
 * Anybody may change a name that a label bears. It is as the spec has it:
 *
 *   the spec states the label | the object was adopted | the label is
 *   --------------------------+------------------------+----------------------------------
 *   yes                       | any                    | compared as every label
 *   no                        | yes                    | its own: not compared
 *   no                        | no                     | the name that we give such an object; where the document states one,
 *                             |                        | the name that the object bears, which is fixed
 */
function nameChange(
  desired: Desired,
  { id, attributes, kind, name }: Observed,
  { knowledge, dialect }: Pick<PlanInput, 'knowledge' | 'dialect'>,
): readonly FieldChange[] {
  const field = nameField(desired, dialect);
  if (field === undefined || kind !== desired.kind || valueAt(desired.attributes, field) !== undefined) return [];
  const from = valueAt(attributes, field);
  const to = desired.terms.named ? name : desired.name;
  if (isAdopted(desired, { id }, knowledge) || from === to) return [];
  return [from === undefined ? { field, to } : { field, from, to }];
}

/** Only a document moves it: a cloud that fixes the names of its objects knows one by another name as another object. */
const fixedName = 'name';

/** A name that the document of a group or machine states, and that its object does not bear. No cloud tells them apart by case. */
const lacksName = ({ name, terms }: Desired, borne: string): boolean =>
  terms.named === true && name.toLowerCase() !== borne.toLowerCase();

/**
 * The differences between a document and the facts that only the store keeps: the terms, and the address if no mark
 * of it names one or can be written anew (`fixed`). No cloud is called for it.
 */
function termsChanges(
  { address, terms }: Desired,
  { id, signs }: Observed,
  { knowledge, fixed }: { readonly knowledge: Knowledge; readonly fixed: boolean },
): readonly FieldChange[] {
  const settled = knowledge.settled.get(id);
  if (settled === undefined) return [];
  const { terms: kept } = settled;
  const isMoved = fixed && signs.container === undefined && settled.address !== address;
  return [
    ...(isMoved ? [{ field: keptAddress, from: settled.address, to: address }] : []),
    ...(kept.authoritative === terms.authoritative
      ? []
      : [{ field: keptRules, from: regimeOf(kept), to: regimeOf(terms) }]),
    ...keptFields
      .filter(
        (field) =>
          kept[field] !== terms[field] && (field !== 'deletionPolicy' || fixed || signs.container !== undefined),
      )
      .map((field) => ({ field, from: kept[field], to: terms[field] })),
  ];
}

const regimeOf = ({ authoritative }: Pick<Desired['terms'], 'authoritative'>): 'authoritative' | 'additive' =>
  authoritative ? 'authoritative' : 'additive';

/** Not where an update of ours stopped the machine: to start it again is the end of that update. */
const ignored = ({ field }: FieldChange, { terms, address }: Desired, knowledge: Knowledge): boolean =>
  !(field === powerField && isStoppedByUs(knowledge, address)) &&
  (terms.ignore ?? []).some((ignore) => field === ignore || field.startsWith(`${ignore}.`));

/** No reconcile reads user data from a cloud: where no hash of ours is known it is unowned. */
const unknowable = ({ field, from }: FieldChange): boolean => field.startsWith('boot.') && from === undefined;
