import { type Action, actionKey, type DestructiveAction, isDestructive } from '../action.ts';
import { type Desired, isAdoptedRule } from '../desired.ts';
import type { FieldChange } from '../diff.ts';
import { effectOf } from '../kinds/kinds.ts';
import type { ChangeEffect } from '../kinds/rules.ts';
import type { Observed } from '../observed.ts';
import { documentText, wantedText } from '../render/value-text.ts';
import { type Address, type Kind, nameIn } from '../resource.ts';
import { lastApplied, movedBySpec } from './changes.ts';
import { unlessApproved } from './holds.ts';
import { type Hold, type PlanInput, placeIn, type Wanted } from './plan-input.ts';

type Judged = Pick<PlanInput, 'knowledge' | 'dialect'>;

/** The differences of one resource, by what may be done about them. Together they are all of its changes. */
interface SortedChanges {
  /** Carried out together. */
  readonly going: readonly FieldChange[];
  /** Would lose data, and no spec asked for it: for a person to let pass by name. */
  readonly held: readonly FieldChange[];
  /** Nothing carries them out, whoever asks. */
  readonly blocked: readonly FieldChange[];
}

/**
 * Judges each field by itself (invariant 14). `moved`: a spec moved the field since it was applied last; see `movedBySpec`.
 *
 *   effect   | moved | going           | held                            | blocked
 *   ---------+-------+-----------------+---------------------------------+--------
 *   in-place | any   | yes             |                                 |
 *   stops    | yes   | yes             |                                 |
 *   stops    | no    | the disks stay  | it runs, and may have disks     |
 *            |       |                 | that a stop empties             |
 *   replace  | yes   | yes             |                                 | it has data disks
 *   replace  | no    |                 | yes                             | it has data disks
 *   blocked  | any   |                 |                                 | yes
 *
 * Direction and machines of an adopted rule are blocked where a spec moved them, or nothing was applied yet: another rule must stand
 * first. A colleague's change of them is undone in place.
 *
 * If a moved field replaces the machine, the new one gets all other changes too. If a moved field stops it, the
 * other changes that need a stop are made with it.
 */
export function sortChanges(
  desired: Desired,
  observed: Observed,
  { changes, input }: { readonly changes: readonly FieldChange[]; readonly input: Judged },
): SortedChanges {
  const isMoved = movedBySpec(desired, input);
  const asked = new Set(changes.filter(isMoved).map((change) => effectHere(desired.kind, change, input)));
  const hasDataDisks = (observed.condition.dataDisks ?? []).length > 0;
  if (asked.has('replace') && !hasDataDisks) return { going: changes, held: [], blocked: [] };
  const stopLoses = !asked.has('stops') && losesByStop(observed);
  const fates = Map.groupBy(changes, (change): keyof SortedChanges => {
    const effect = effectHere(desired.kind, change, input);
    if (effect === 'blocked' || isOfAnotherRule(desired, change, input)) return 'blocked';
    if (effect === 'replace' && hasDataDisks) return 'blocked';
    return effect === 'replace' || (effect === 'stops' && stopLoses) ? 'held' : 'going';
  });
  return { going: fates.get('going') ?? [], held: fates.get('held') ?? [], blocked: fates.get('blocked') ?? [] };
}

/** A rule that Setpoint makes has these in its name, so that a rule with others is another one, which stands first. */
function isOfAnotherRule(desired: Desired, change: FieldChange, input: Judged): boolean {
  if (!isAdoptedRule(desired) || !['match.direction', 'match.targets'].includes(change.field)) return false;
  return lastApplied(desired, input.knowledge) === undefined || movedBySpec(desired, input)(change);
}

/** A machine that stands still has nothing left on such disks. */
const losesByStop = ({ attributes, condition }: Observed): boolean =>
  condition.ephemeral !== false && 'machine' in attributes && attributes.machine.power === 'running';

/** A change that is in place elsewhere may stop a machine here, or replace it. */
export function effectHere(kind: Kind, change: FieldChange, { dialect }: Pick<PlanInput, 'dialect'>): ChangeEffect {
  const effect = effectOf(kind, change);
  if (kind !== 'instance' || effect !== 'in-place') return effect;
  return dialect.holds.machineEffects?.[change.field] ?? effect;
}

/**
 * Withholds what would lose data although no spec asked for it, whoever applies; only an approval of this very action lets it pass.
 * Asked before any other hold: no approval of something else is to be taken for this one.
 */
export const destructiveDriftHold = (input: PlanInput): Hold =>
  unlessApproved((action) => {
    if (!isDestructive(action) || !isUnasked(action, input)) return undefined;
    return { code: 'destructive-drift', why: reason(action, input) };
  }, input.choices?.approved);

function isUnasked(action: DestructiveAction, input: PlanInput): boolean {
  const { desired, observed, changes } = action;
  const { held } = sortChanges(desired, observed, { changes, input });
  return held.length > 0;
}

function reason({ verb, desired, changes, address }: DestructiveAction, input: PlanInput): string {
  const costs =
    verb === 'replace'
      ? 'Only a new machine can have the desired value, and the data on this disk would be lost'
      : 'Only a stopped machine can be changed so, and a stop may empty disks of this one';
  const out = `approve the change: setpoint approve --address ${address} --reason "…"`;
  return `${wantedText(changes)}. ${costs}. No spec asked for this since it was applied. ${waysIn(desired, changes, input)}, or ${out}`;
}

/** The ways to write the observed state into a spec: `Write disk: { size: 40 } in web.yaml:12`. */
export function waysIn(desired: Desired, changes: readonly FieldChange[], input: PlanInput): string {
  const { wanted } = input;
  const [document] = desired.documents;
  const [target = '<target>'] = (document && wanted.documents.get(document.address)?.targets) ?? [];
  const lines = changes.flatMap((change) => specLine(change, target) ?? []);
  const where = placeInSpecs(desired, input);
  const each = ofAll(replicasOf(desired, wanted));
  if (lines.length === changes.length) return `Keep the current value: write ${lines.join(', ')} in ${where}${each}`;
  return `Keep the current value: write in ${where} the value that it was launched with${each}`;
}

/** The place to write a field of a resource, for people. */
export function placeInSpecs({ kind, address, documents: [document] }: Desired, input: PlanInput): string {
  const file = document === undefined ? 'the spec' : placeIn(document, input);
  return kind === 'subnet' ? `the subnet ${subnetName(address)} of ${file}` : file;
}

/** The machines of the document of one. */
export const replicasOf = ({ documents: [document] }: Desired, { desired }: Wanted): readonly Desired[] =>
  desired.filter(
    (one) => one.kind === 'instance' && one.documents.some((other) => other.address === document?.address),
  );

/** A document of several machines states a field for each of them. */
export const ofAll = (replicas: readonly Desired[]): string =>
  replicas.length > 1 ? ` (it then applies to all ${replicas.length} machines of the document)` : '';

/** `settings: { spot: true }` */
export const lineOfSetting = (name: string, value: unknown): string =>
  `\`settings: { ${name}: ${documentText(value)} }\``;

/** As the document spells the field. Undefined where only a hash of it is known. */
function specLine({ field, from }: FieldChange, target: string): string | undefined {
  const [part = '', name = ''] = field.split('.');
  if (field === 'name') return `\`names: { ${target}: ${documentText(from)} }\``;
  if (part === 'disk') return `\`disk: { ${name}: ${documentText(from)} }\``;
  if (part === 'settings') return from === undefined ? `no \`${name}\` in \`settings\`` : lineOfSetting(name, from);
  if (part === 'boot' || name === '') return undefined;
  if (from === undefined) return `no \`${name}\``;
  const value = name === 'subnet' ? subnetName(String(from)) : String(from);
  return value === undefined ? undefined : `\`${name}: ${value}\``;
}

/** Undefined: it is not ours, so no spec can name it. */
const subnetName = (ref: Address): string | undefined =>
  ref.includes('/subnet/') ? nameIn(ref, 'subnet').replace(/^[^.]*\./, '') : undefined;

/** All that a plan wanted to do before anything was withheld: a finding tells only that something was. */
export interface ActionRecorder {
  /** Lets everything pass, and remembers it. */
  readonly hold: Hold;
  /** Each once, however often it was planned. */
  planned(): readonly Action[];
}

export function actionRecorder(): ActionRecorder {
  const planned = new Map<string, Action>();
  return {
    hold: (action) => {
      planned.set(`${actionKey(action)} ${idOf(action)} ${isDestructive(action)}`, action);
      return undefined;
    },
    planned: () => [...planned.values()],
  };
}

function idOf(action: Action): string {
  if (action.verb === 'create') return '';
  return action.verb === 'forget' ? action.id : action.observed.id;
}
