import type { About, Action, BlockCode, Cause, Finding } from '../action.ts';
import { type Desired, settingsOf } from '../desired.ts';
import type { FieldChange } from '../diff.ts';
import type { Observed, Setting } from '../observed.ts';
import { wantedText } from '../render/value-text.ts';
import { type CloudId, documentOfReplica, type InstanceAttributes, nameIn } from '../resource.ts';
import { causeOf } from './changes.ts';
import type { Claimed } from './claim.ts';
import { lineOfSetting, ofAll, placeInSpecs, replicasOf, waysIn } from './destructive-drift.ts';
import { wayOut } from './lost-commits.ts';
import { type PlanInput, placeIn, type Wanted } from './plan-input.ts';
import type { World } from './world.ts';

/** True of a finding that leaves a scope other than its specs ask, or unknown. */
export const isUnfinished = ({ type }: Finding): boolean => unfinished.has(type);

const unfinished: ReadonlySet<Finding['type']> = new Set([
  ...(['withheld', 'blocked', 'non-convergent', 'incomplete'] as const),
  ...(['wrong-account', 'foreign-store', 'unrecorded-mark'] as const),
]);

/** After this many settled updates that did not stick, a resource is left alone and named. */
export const maxUnstuck = 3;

export const aboutOf = ({ kind, address, documents }: Desired, cause: Cause): About => ({
  kind,
  address,
  documents,
  cause,
});

export function blocked(desired: Desired, code: BlockCode, why: string, { input }: Pick<World, 'input'>): Finding {
  return { type: 'blocked', address: desired.address, kind: desired.kind, code, why, scope: input.observation.scope };
}

/** One finding of a machine's name, one of settings, and one of all other changes: each has a way out of its own. */
export function immutableFindings(
  desired: Desired,
  changes: readonly FieldChange[],
  input: PlanInput,
): readonly Finding[] {
  const names = changes.filter((change) => isOfName(desired, change));
  const settings = changes.filter(isOfSettings);
  const others = changes.filter((change) => !names.includes(change) && !settings.includes(change));
  return [names, settings, others].filter(({ length }) => length > 0).map((some) => immutable(desired, some, input));
}

function immutable(desired: Desired, changes: readonly FieldChange[], input: PlanInput): Finding {
  const { kind, address } = desired;
  const next = wayAround(desired, changes, input);
  const why = `${wantedText(changes)}${kind === 'instance' || changes.every(isOfSettings) ? '. ' : ': '}${next}`;
  return { type: 'blocked', address, kind, code: 'immutable', why, scope: input.observation.scope };
}

function wayAround(desired: Desired, changes: readonly FieldChange[], input: PlanInput): string {
  const { kind } = desired;
  if (changes.every(isOfSettings)) {
    // why: accept keeps drift, and nothing that a document changed
    const isDrift = causeOf(desired, changes, input) === 'drift';
    const keep = isDrift
      ? `Keep the current value: setpoint accept ${desired.address}`
      : waysIn(desired, changes, input);
    return `Setpoint compares this and does not change it yet. ${keep}, or change it on the cloud.`;
  }
  if (changes.every((change) => isOfName(desired, change)))
    return `The cloud fixes the name of a machine at its creation. ${waysIn(desired, changes, input)}, or remove \`names\`.`;
  if (kind !== 'instance')
    return `cannot change on an existing ${kind}, and Setpoint does not replace it. Restore the old value, or give the new ${kind} a new name and move over.`;
  return `An existing machine cannot be changed so without losing its data. ${waysIn(desired, changes, input)}, or give the new machine a new name and move over.`;
}

const isOfName = ({ kind }: Desired, { field }: FieldChange): boolean => kind === 'instance' && field === 'name';

const isOfSettings = ({ field }: FieldChange): boolean => field.startsWith('settings.');

/** A replacement deletes the old machine: it is blocked where nothing could launch the new one. */
export function unlaunchable(desired: Desired, changes: readonly FieldChange[], world: Pick<World, 'input'>): Finding {
  const fields = changes.map(({ field }) => field).join(', ');
  const why = `${fields} would need a new machine, and its document cannot launch one: ${desired.terms.unlaunchable}.`;
  return blocked(desired, 'immutable', why, world);
}

export function nonConvergent(desired: Desired, changes: readonly FieldChange[], scope: string): Finding {
  const fields = changes.map(({ field }) => field).join(', ');
  const why = `${fields} was written ${maxUnstuck} times and differs again each time. Somebody else writes it, or the cloud does not keep it: ignore the field, or find the other writer.`;
  return { type: 'non-convergent', address: desired.address, kind: desired.kind, code: 'non-convergent', why, scope };
}

export function nameTaken(desired: Desired, { observed }: Claimed, world: World): Finding {
  return blocked(
    desired,
    'name-taken',
    `${observed.id} (${observed.name || 'no name'}) already exists there and is unmanaged. ${wayToAdopt(desired, observed.id, world)}`,
    world,
  );
}

/** A replacement that deletes the machine first waits for the name of the new one. */
export function successorNameTaken(
  { desired, observed, changes }: Extract<Action, { readonly verb: 'replace' }>,
  { observed: { id }, claim }: Claimed,
  world: Pick<World, 'input'>,
): Finding {
  const fields = changes.map(({ field }) => field).join(', ');
  const owner = claim.by === 'nobody' ? 'is unmanaged' : `belongs to ${ownerOf(claim)}`;
  const kept: FieldChange = { field: 'name', from: observed.name, to: desired.name };
  const why = `${fields} would need a new machine by the name ${JSON.stringify(desired.name)}, and ${id} has this name: it ${owner}. Setpoint deletes ${observed.id} only once the name is free: delete or rename ${id}. ${waysIn(desired, [kept], world.input)}.`;
  return blocked(desired, 'name-taken', why, world);
}

function wayToAdopt(desired: Desired, id: CloudId, { input }: World): string {
  const { wanted } = input;
  const never = neverAdopted(desired, wanted);
  if (never !== undefined) return `${never.why} ${never.next}`;
  const [document] = desired.documents;
  const targets = document === undefined ? [] : (wanted.documents.get(document.address)?.targets ?? []);
  const target = targets.length === 1 ? (targets[0] ?? '') : '<target>';
  const where = document === undefined ? '' : `in ${placeIn(document, input)} `;
  return `To take it over write ${where}${adoptField(desired, id, target)}`;
}

export const lostCommits = (desired: Desired, { observed: { id } }: Claimed, world: World): Finding =>
  blocked(
    desired,
    'lost-commits',
    `${id} carries this store's mark and an unrecorded intent: the database may have lost its newest commits. ${wayOut(id)}.`,
    world,
  );

export function ownedBy(desired: Desired, { observed, claim }: Claimed, world: World): Finding {
  return blocked(desired, 'owned-by', `${observed.id} belongs to ${ownerOf(claim)}.`, world);
}

function ownerOf(owner: Claimed['claim']): string {
  switch (owner.by) {
    case 'us':
      return owner.address;
    case 'other':
      return `estate ${owner.estate}`;
    case 'foreign-store':
      return `store ${owner.store} of this estate`;
    case 'nobody':
      return 'nobody';
  }
}

/**
 * One finding for each setting that a resource of ours has and its document does not state: told, and never acted on. A spec
 * that stated an identity and states none any more takes it away: that is a change, and no finding.
 *
 *   the spec   | on the cloud            | changes          | finding
 *   -----------+-------------------------+------------------+---------
 *   no identity| an identity             | none             | it
 *   no identity| an identity             | machine.identity | –
 *   identity a | b                       | machine.identity | –
 *   any        | a setting that `settings` of the | any     | –
 *              | document states         |                  |
 *   any        | any other setting       | any              | it
 *
 * It tells the line that makes Setpoint compare the setting, where the document may state it.
 */
export function unstatedFindings(
  desired: Desired,
  observed: Observed,
  changes: readonly FieldChange[],
  input: PlanInput,
): readonly Finding[] {
  const { kind, id, condition } = observed;
  const stated = settingsOf(desired);
  const unstated = (condition.unstated ?? []).filter(({ statedBy = '' }) => !Object.hasOwn(stated, statedBy));
  const settings = [...identityOf(desired, observed, changes), ...unstated];
  return settings.map((setting) => ({
    type: 'unmanaged',
    kind,
    id: `${id}/${setting.field}`,
    name: setting.field,
    of: desired.address,
    why: `${desired.address} ${setting.detail}, ${
      setting.statedBy === undefined || desired.terms.claim?.adopt !== undefined
        ? `which its document does not state. It stays as it is${toCompare(desired, observed, setting, input)}.`
        : 'which only a document that adopts it can state. It stays as it is, until somebody changes it on the cloud.'
    }`,
    scope: input.observation.scope,
  }));
}

/** The way to state a setting, where `settings` may stand: in documents that adopt the whole. */
function toCompare(desired: Desired, observed: Observed, { statedBy }: Setting, input: PlanInput): string {
  const [, value]: readonly unknown[] = Object.entries(settingsOf(observed)).find(([name]) => name === statedBy) ?? [];
  const [document] = desired.documents;
  const all = isInstance(desired) ? replicasOf(desired, input.wanted) : [desired];
  const isAdopted = all.every(({ terms }) => terms.claim?.adopt !== undefined);
  const isOfEach = statedBy !== 'staticPublicIp' || all.length === 1;
  if (value === undefined || document === undefined || !isAdopted || !isOfEach) return '';
  return `; to compare it, write ${lineOfSetting(statedBy ?? '', value)} in ${placeInSpecs(desired, input)}${ofAll(all)}`;
}

function identityOf(desired: Desired, observed: Observed, changes: readonly FieldChange[]): readonly Setting[] {
  if (!isInstance(desired) || !isInstance(observed)) return [];
  const { identity } = observed.attributes.machine;
  if (identity === undefined || desired.attributes.machine.identity !== undefined) return [];
  if (changes.some(({ field }) => field === 'machine.identity')) return [];
  return [{ field: 'identity', detail: `has the identity ${identity}` }];
}

/** One finding for each stated setting that the cloud did not list: it may be as stated or not. An adoption goes on beside it. */
export function unlistedFindings(desired: Desired, { condition }: Observed, scope: string): readonly Finding[] {
  const stated = settingsOf(desired);
  const { kind, address } = desired;
  return (condition.unlisted ?? [])
    .filter(({ setting }) => Object.hasOwn(stated, setting))
    .map(({ setting, code, reason }) => ({
      type: 'blocked',
      address,
      kind,
      code: 'not-observed',
      why: `its ${setting} could not be listed or compared: ${reason} (${code})`,
      scope,
    }));
}

const isInstance = <T extends Desired | Observed>(one: T): one is T & { readonly attributes: InstanceAttributes } =>
  one.kind === 'instance';

/** `why`: the reason · `next`: the step that helps; both for people. */
export interface Obstacle {
  readonly why: string;
  readonly next: string;
}

/**
 * The field by which a document takes over an object, as a person writes it.
 *
 *   kind              | field
 *   ------------------+----------------------------------------------------
 *   network, instance | metadata.adopt
 *   subnet            | adopt of its entry in spec.subnets of its Network
 *   group             | metadata.adopt of its Group, else adopt of its entry in spec.groups of its Network
 *   firewall-rule     | none
 */
export function adoptField({ kind, address, documents }: Desired, id: CloudId, target: string): string {
  const field = `adopt: { ${target}: ${id} }`;
  const own = nameIn(address, kind).replace(/^[^.]*\./, '');
  switch (kind) {
    case 'subnet':
      return `on ${own} under spec.subnets: ${field}`;
    case 'group':
      if (documents.some((document) => document.address === address)) return `under metadata: ${field}`;
      return `under spec.groups: - { name: ${own}, ${field} }`;
    case 'network':
    case 'instance':
    case 'firewall-rule':
      return `under metadata: ${field}`;
  }
}

/** The reason that no document can adopt any object as this resource; undefined where one can. */
export function neverAdopted({ kind, address }: Desired, { desired }: Wanted): Obstacle | undefined {
  if (kind === 'firewall-rule')
    return {
      why: 'A document that makes rules adopts none: an existing rule has a document of its own, or belongs to its group.',
      next: 'Import it with setpoint import --id, or delete or rename it if it is in the way.',
    };
  if (kind !== 'instance') return undefined;
  const document = documentOfReplica(address);
  const replicas = desired.filter((one) => one.kind === kind && documentOfReplica(one.address) === document).length;
  if (replicas <= 1) return undefined;
  return {
    why: `Its document asks for ${replicas} replicas, and one object cannot be adopted as several.`,
    next: 'List the ids of all replicas in their order: adopt: { <target>: [<id>, …] }',
  };
}
