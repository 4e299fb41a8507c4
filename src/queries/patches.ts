import { type Bounds, covers, type Subject, seesAll } from '../core/access/grant.ts';
import type { Finding, ScopePlan } from '../core/action.ts';
import { documentTitle, ownName, titleOf } from '../core/documents/document.ts';
import type { EditValue } from '../core/documents/document-edit.ts';
import { isResource, type ResourceDoc } from '../core/documents/effective-terms.ts';
import type { Located } from '../core/documents/tree.ts';
import { canonical } from '../core/ledger/canonical.ts';
import {
  fieldPath,
  fieldText,
  overlap,
  type Patch,
  type PatchEnd,
  type PatchField,
  reachingField,
  writtenAt,
} from '../core/patch.ts';
import { judgePatch, type PatchJudgement } from '../core/plan/patch-judgement.ts';
import { predictedCalls } from '../core/plan/plan.ts';
import type { PlanInput } from '../core/plan/plan-input.ts';
import { difference } from '../core/plan/preview.ts';
import { type Address, type Kind, shortAddress } from '../core/resource.ts';
import { guardedFields } from '../core/trust.ts';
import { isDue } from '../core/ttl.ts';
import { type PlanMeaning, planMeaning } from '../estate/change-rules.ts';
import { acceptSpecs, type Estate, keptSpecs, type OpenedEstate } from '../estate/load.ts';
import { besideActive, EndedIsNeeded, InvalidPatch, type ParseKept, type PatchChange } from '../estate/patches.ts';
import type { By } from '../ports/fleet-state.ts';
import { type Generation, Overtaken } from '../ports/knowledge.ts';
import { Declined, type PatchAnswers, type PatchLists } from '../ports/queries.ts';
import { Pinned, type SpecTree } from '../ports/sources.ts';
import type { Store } from '../ports/store.ts';
import { openActiveSpec } from './active-estate.ts';
import { authorsBy } from './authorship.ts';
import { estateViewOf, type StoredEstateView } from './estate-view.ts';
import type { PreviewContext } from './preview.ts';
import { requestReconciles } from './requests.ts';
import { subjectWithin } from './visible-plans.ts';

/** The means to make generations with patches. */
export interface PatchGrounds {
  readonly store: Store;
  readonly parse: ParseKept;
  /** Compiles a valid tree. */
  open(tree: SpecTree): Promise<OpenedEstate>;
}

/**
 * `address`: of a document, of the only resource of one, or a unique end of either. `seen`, `mine`: the bounds within which the caller may
 * read and patch.
 */
export interface PatchAsked {
  readonly estate: string;
  readonly address: string;
  readonly fields: readonly { readonly field: string; readonly value: unknown }[];
  readonly by: By;
  /** Ms since the epoch. */
  readonly until: number;
  /** The number of a patch that this one takes the place of. */
  readonly replaces?: number | undefined;
  readonly seen?: readonly Bounds[];
  readonly mine?: readonly Bounds[];
}

/** A patch that may begin: judged, and not recorded yet. */
export interface PlannedPatch {
  readonly patch: Patch;
  readonly replaces: readonly PatchEnd[];
  readonly judgement: PatchJudgement;
  /** The resources of the document that it changes, as the newest observations show them. */
  readonly view: StoredEstateView;
  /** The violations are of its document alone. */
  readonly meaning: PlanMeaning;
  /** Why some of it waits. */
  readonly waits: readonly Finding[];
  readonly after: Generation;
  readonly opened: OpenedEstate;
}

/** The longest time of a patch. Lasting values belong into a commit, where others review them. */
export const longestPatchMs = 30 * 86_400_000;

/** Patches for callers who may see and change a part of an estate only. */
export function patchesOn({ store, posted, line, open: openNewest }: PreviewContext): PatchAnswers {
  const grounds = { store, parse: posted.again, open: posted.open };
  return {
    list: async ({ estate: name, seen }) => {
      const { estate } = await openActiveSpec(name, { store, open: openNewest });
      const { active, ended } = await patchesOf(name, grounds);
      const isSeen = visibilityIn(estate);
      const isShown = (patch: Omit<Patch, 'isOver'>): boolean => isSeen(patch, seen);
      return { active: active.filter(isShown), ended: ended.filter(isShown) };
    },
    begin: ({ estate, seen, mine }, { by, reason, preview, ...asked }) =>
      line(async () => {
        const person = { person: by.person, reason };
        const planned = await planPatch({ ...asked, estate, seen, mine, by: person }, grounds);
        const generation = preview ? undefined : await beginPatch(planned, authorsBy(by), grounds);
        const { patch, view, meaning, waits, judgement, opened } = planned;
        return {
          ...{ patch, plans: view.plans, waits: [...new Set(waits.map(({ why }) => why))], atEnd: judgement.atEnd },
          ...{ revision: opened.tree.revision, violations: meaning.violations },
          ...(generation === undefined ? {} : { generation }),
          ...(meaning.effect === undefined ? {} : { effect: meaning.effect }),
        };
      }),
    end: ({ estate, seen, mine, by }, id, reason) =>
      line(() =>
        endPatch({ estate, id, seen, mine, by: { person: by.person, reason }, authors: authorsBy(by) }, grounds),
      ),
  };
}

/** Judges a patch by specs, policies and guards, without a call of a cloud. Throws `Declined` with the reason. */
export async function planPatch(asked: PatchAsked, grounds: PatchGrounds): Promise<PlannedPatch> {
  const { store } = grounds;
  const { current, before } = await activeTree(asked.estate, grounds);
  refuseUnsigned(before);
  const place = documentNamed(asked, before);
  const { document } = place;
  const active = await store.fleet.patches.active(asked.estate);
  const replaces = replacedBy(asked, active, { document, before });
  const without = await treeWith({ ends: replaces }, before.tree, grounds, asked.estate);
  await refuseDue(without, asked.estate, store);
  const specs = await grounds.open(without);
  const specified = documentIn(specs, document);
  const patch = await draftOf(asked, specified, store);
  refuseReach(patch, place, asked.mine);
  refuseOverlaps(
    patch,
    active.filter(({ id }) => id !== asked.replaces),
  );
  const tree = await treeWith({ begins: patch, ends: replaces }, before.tree, grounds, asked.estate);
  refuseGuarded(documentIn({ tree }, document), specified);
  const opened = await grounds.open(tree);
  const judgement = judgePatch({ there: between(before, opened), back: between(opened, specs) });
  if (judgement.refusals.length > 0) throw refused(judgement.refusals);
  const view = await estateViewOf(wholeOf(opened), store);
  const plans = view.plans.map((plan, at) => onlyAt(plan, judgement.addresses, view.looked[at]?.input));
  refuseDenied(plans);
  const shown = { ...view, plans };
  const tellsEffect = asked.seen === undefined || seesAll(asked.seen, asked.estate);
  const { violations, ...meaning } = await planMeaning(shown, { tellsEffect });
  const own = new Set([...place.addresses, ...judgement.addresses]);
  return {
    ...{ patch, replaces, judgement, opened },
    view: shown,
    meaning: { ...meaning, violations: violations.filter(({ address }) => own.has(address)) },
    waits: plans.flatMap(({ findings }) => findings.filter(({ type }) => type === 'withheld' || type === 'blocked')),
    after: current,
  };
}

/** Accepts the generation that has the patch, and asks for its reconciles. */
export async function beginPatch(
  { patch, opened, after }: PlannedPatch,
  authors: readonly string[],
  { store }: PatchGrounds,
): Promise<Generation> {
  const { revision } = opened.tree;
  const move = { estate: opened.name, revision, after: after.number };
  await store.authors.record(move, { names: [...new Set([patch.person, ...authors])], more: false });
  const generation = await accepted(opened, after, store);
  await reconcileAll(opened, `${patch.person} patched ${documentTitle(patch)}: ${patch.reason}`, store);
  return generation;
}

interface EndAsked {
  readonly estate: string;
  readonly id: number;
  readonly by: By;
  readonly seen?: readonly Bounds[];
  readonly mine?: readonly Bounds[];
  readonly authors?: readonly string[];
}

/** Ends a patch before its time. Workers go back to the specs as in any rollout. */
export async function endPatch(
  asked: EndAsked,
  grounds: PatchGrounds,
): Promise<{ readonly patch: Patch; readonly generation: Generation }> {
  const { estate, id, by } = asked;
  const { store } = grounds;
  const { current, before } = await activeTree(estate, grounds);
  const active = await store.fleet.patches.active(estate);
  const patch = endable(id, active, { ...asked, before });
  const end: PatchEnd = { id, as: 'person', why: by.reason, person: by.person };
  const tree = await treeWith({ ends: [end] }, before.tree, grounds, estate);
  await refuseDue(tree, estate, store);
  const opened = await grounds.open(tree);
  const move = { estate, revision: opened.tree.revision, after: current.number };
  await store.authors.record(move, { names: [...new Set([by.person, ...(asked.authors ?? [])])], more: false });
  const generation = await accepted(opened, current, store);
  await reconcileAll(opened, `${by.person} ended patch #${id}: ${by.reason}`, store);
  return { patch, generation };
}

/** The patches that hold, and those that ended last. */
export async function patchesOf(estate: string, { store }: Pick<PatchGrounds, 'store'>): Promise<PatchLists> {
  const [active, ended] = await Promise.all([
    store.fleet.patches.active(estate),
    store.fleet.patches.ended(estate, 20),
  ]);
  return { active, ended };
}

/** The newest generation as it is stored, with its patches. */
async function activeTree(
  estate: string,
  { store, parse, open }: PatchGrounds,
): Promise<{ readonly current: Generation; readonly before: OpenedEstate }> {
  const current = await store.generations.current(estate);
  const tree = current && (await keptSpecs(estate, current, store, parse));
  if (current === undefined || tree === undefined)
    throw new Declined('conflict', 'The estate has no active specs that a patch could change. Apply them first.');
  return { current, before: await open(tree) };
}

/** These specs would carry out a due end by the way, and under another author. An end that cannot be carried out stays due. */
async function refuseDue(
  { lifetimes }: Pick<SpecTree, 'lifetimes'>,
  estate: string,
  { fleet }: Pick<Store, 'fleet'>,
): Promise<void> {
  const ends = new Set(lifetimes?.leftOut);
  const due = (await fleet.lifetimes.list(estate)).find((one) => isDue(one) && ends.has(one.document));
  if (due === undefined) return;
  throw new Declined(
    'conflict',
    `The lifetime of ${due.document} is over, and no generation has ended it yet. Workers do that within seconds. Without workers: setpoint apply`,
  );
}

async function treeWith(
  change: PatchChange,
  tree: SpecTree,
  { store, parse }: PatchGrounds,
  estate: string,
): Promise<SpecTree> {
  try {
    return await besideActive(tree, { estate, store, parse }, change);
  } catch (error) {
    if (error instanceof EndedIsNeeded) throw refused([`${error.message}.`]);
    if (!(error instanceof InvalidPatch)) throw error;
    const [first] = error.problems;
    const { expected, didYouMean } = first?.hint ?? {};
    const hints = [expected && `expected: ${expected}`, didYouMean && `did you mean: ${didYouMean}`].filter(Boolean);
    throw refused([`The specs are not valid with it: ${[first?.message, ...hints].join('; ')}.`]);
  }
}

/** The one document that an address means. */
function documentNamed({ address, seen, mine }: PatchAsked, estate: OpenedEstate): Place {
  const shown = placesIn(estate).filter((one) => isWithin(one, seen));
  const named = shown.filter(({ addresses }) => addresses.some((one) => isMeant(one, address)));
  // why: a group is made by every document that names it
  const fits =
    named.length > 0 ? named : shown.filter(({ resources }) => resources.some((one) => isMeant(one, address)));
  const [place] = fits;
  if (place === undefined)
    throw new Declined(
      'unknown',
      'No document that a patch can change has this address. All addresses: setpoint inventory',
    );
  if (fits.length > 1)
    throw new Declined('conflict', `The address means ${fits.length} documents. Write one of them in full.`, {
      addresses: fits.flatMap(({ addresses }) => addresses).slice(0, 100),
    });
  const { document, addresses } = place;
  const { replicas = 1 } = document.value.kind === 'Instance' ? document.value.spec : {};
  if (replicas > 1 && named.length === 0)
    throw new Declined(
      'conflict',
      `It is one of ${replicas} machines of a document, and a patch changes all of them. Patch the document: ${addresses[0]}`,
    );
  if (!isWithin(place, mine)) throw notYours();
  return place;
}

const isMeant = (address: Address, given: string): boolean =>
  address === given || address.endsWith(`/${given}`) || address.endsWith(`.${given}`);

interface Place {
  readonly document: Located<ResourceDoc>;
  /** Of the document, one a scope. */
  readonly addresses: readonly Address[];
  readonly resources: readonly Address[];
  /** Where it stands, one a target. */
  readonly subjects: readonly Subject[];
}

/** Documents that make nothing yet, as of 0 replicas, have places too: a patch may make something there. */
function placesIn({ name: estate, tree, compiled }: OpenedEstate): readonly Place[] {
  const made = new Map<Address, Set<Address>>();
  const said = new Map<string, { readonly addresses: Set<Address>; readonly subjects: Subject[] }>();
  for (const { wanted } of compiled.scopes) {
    for (const { address, documents } of wanted.desired)
      for (const { address: own } of documents) made.set(own, (made.get(own) ?? new Set()).add(address));
    for (const [address, { targets, owner = '' }] of wanted.documents) {
      const end = shortAddress(address);
      const known = said.get(end) ?? { addresses: new Set(), subjects: [] };
      said.set(end, known);
      known.addresses.add(address);
      known.subjects.push(...targets.map((target) => ({ estate, targets: [target], owner })));
    }
  }
  return tree.documents.filter(isResource).flatMap((document) => {
    const { addresses, subjects } = said.get(shortAddressOf(document.value)) ?? {};
    if (addresses === undefined || subjects === undefined) return [];
    const resources = [...addresses].flatMap((own) => [...(made.get(own) ?? [])]);
    return [{ document, subjects, addresses: [...addresses], resources: [...new Set(resources)] }];
  });
}

/** As `shortAddress` has each address of a document: `instance web`. */
function shortAddressOf(document: ResourceDoc): string {
  const { kind, spec } = document;
  const name = ownName(document);
  return `${kindWords[kind]} ${kind === 'FirewallRule' && spec.network !== undefined ? `${spec.network}.${name}` : name}`;
}

const kindWords = {
  Network: 'network',
  Group: 'group',
  FirewallRule: 'firewall-rule',
  Instance: 'instance',
} as const satisfies Record<ResourceDoc['kind'], Kind>;

/** All of a document, on each of its targets. */
const isWithin = ({ subjects }: Place, bounds: readonly Bounds[] | undefined): boolean =>
  bounds === undefined || subjects.every((subject) => bounds.some((one) => covers(one, subject)));

/**
 * True where the document of a patch is within the bounds. A removed document needs bounds around the whole estate. The places of all
 * documents are found once.
 */
function visibilityIn(
  estate: OpenedEstate,
): (patch: Pick<Patch, 'kind' | 'name'>, bounds: readonly Bounds[] | undefined) => boolean {
  let places: ReadonlyMap<string, Place> | undefined;
  return (patch, bounds) => {
    if (bounds === undefined) return true;
    places ??= new Map(placesIn(estate).map((place) => [titleOf(place.document.value), place]));
    const place = places.get(documentTitle(patch));
    return place === undefined ? subjectWithin(bounds, { by: 'estate' }, estate) : isWithin(place, bounds);
  };
}

function documentIn({ tree }: Pick<OpenedEstate, 'tree'>, { value }: Located<ResourceDoc>): Located<ResourceDoc> {
  const found = tree.documents
    .filter(isResource)
    .find((one) => one.value.kind === value.kind && ownName(one.value) === ownName(value));
  if (found === undefined) throw new Error('a patch removes no document');
  return found;
}

async function draftOf(asked: PatchAsked, document: Located<ResourceDoc>, { fleet, ledger }: Store): Promise<Patch> {
  const { estate, by, until } = asked;
  const now = await ledger.now();
  if (until <= now || until > now + longestPatchMs)
    throw refused(['It would end in the past, or in more than 30 days. Commit a value that is meant to stay.']);
  const fields = asked.fields.flatMap(({ field, value }) => fieldsOf(field, value, document));
  if (fields.length === 0) throw refused(['It names no field.']);
  const twice = fields.find((one, i) => fields.some((other, at) => at < i && overlap(one, other)));
  if (twice !== undefined) throw refused([`It sets \`${fieldText(twice.path)}\` twice.`]);
  refuseFewer(fields, document);
  return {
    ...{ id: await fleet.patches.next(estate), at: now, isOver: false },
    ...{ kind: document.value.kind, name: ownName(document.value), fields },
    ...{ person: by.person, reason: by.reason, until },
  };
}

/** A map is set field by field, as an overlay sets it. */
function fieldsOf(field: string, value: unknown, document: Located<ResourceDoc>): readonly PatchField[] {
  const read = fieldPath(field);
  if (read.refused !== undefined) throw refused([`A patch cannot set \`${field}\`: ${read.refused}.`]);
  if (isMap(value)) {
    const inner = Object.entries(value);
    if (inner.length === 0) throw refused([`\`${field}\` is an empty map, which sets nothing.`]);
    return inner.flatMap(([key, one]) => fieldsOf(`${field}.${key}`, one, document));
  }
  const was = writtenAt(document, read.path);
  // why: a value of YAML or JSON is one of these
  return [{ path: read.path, value: value as EditValue | null, ...(was === undefined ? {} : { was }) }];
}

const isMap = (value: unknown): value is object => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Fewer machines are deleted machines. */
function refuseFewer(fields: readonly PatchField[], { value: document }: Located<ResourceDoc>): void {
  if (document.kind !== 'Instance') return;
  const replicas = fields.find(({ path }) => fieldText(path) === 'replicas');
  if (replicas === undefined || (typeof replicas.value === 'number' && replicas.value >= document.spec.replicas))
    return;
  throw refused([
    'Fewer replicas delete machines, and a patch deletes none. To stop machines for a while: power=stopped. To delete them, commit it.',
  ]);
}

/** Another patch takes the place of one that its caller may end, and of the same document only. */
function replacedBy(
  asked: PatchAsked,
  active: readonly Patch[],
  { document, before }: { readonly document: Located<ResourceDoc>; readonly before: OpenedEstate },
): readonly PatchEnd[] {
  const { replaces, by } = asked;
  if (replaces === undefined) return [];
  const replaced = endable(replaces, active, { ...asked, before });
  if (replaced.kind !== document.value.kind || replaced.name !== ownName(document.value))
    throw refused([
      `Patch #${replaces} is of ${documentTitle(replaced)}, and a patch takes the place of one of its own document only. End that one: setpoint patch end ${replaces} --reason "…"`,
    ]);
  return [{ id: replaces, as: 'replaced', why: by.reason, person: by.person }];
}

/** The patch with this number, which the caller sees and may end. */
function endable(
  id: number,
  active: readonly Patch[],
  { before, seen, mine }: Pick<PatchAsked, 'seen' | 'mine'> & { readonly before: OpenedEstate },
): Patch {
  const isSeen = visibilityIn(before);
  const shown = active.filter((one) => isSeen(one, seen));
  const patch = shown.find((one) => one.id === id);
  if (patch === undefined) throw noPatch(shown);
  if (!isSeen(patch, mine)) throw notYours();
  return patch;
}

function refuseOverlaps(patch: Patch, active: readonly Patch[]): void {
  for (const other of active) {
    if (other.kind !== patch.kind || other.name !== patch.name) continue;
    const field = patch.fields.find((one) => other.fields.some((set) => overlap(one, set)));
    if (field === undefined) continue;
    throw refused([
      `Patch #${other.id} by ${other.person} sets \`${fieldText(field.path)}\` already. To take its place, all of its fields: --replace ${other.id}`,
    ]);
  }
}

/** A caller whose grant is limited to owners must not reach machines of others by a rule, or by a group of a machine. */
function refuseReach(patch: Patch, place: Place, mine: readonly Bounds[] | undefined): void {
  const ofAnyOwner = mine?.filter(({ owners }) => owners === undefined);
  const field = reachingField(patch);
  if (field === undefined || isWithin(place, ofAnyOwner)) return;
  throw new Declined(
    'forbidden',
    `\`${fieldText(field)}\` decides which machines ${documentTitle(patch)} reaches, and they may have any owner. Your grant is limited to owners. Commit it, or ask somebody whose grant has all owners.`,
    { permission: 'operate' },
  );
}

/** A patch would bypass the signatures that commits need. */
function refuseUnsigned({ tree }: OpenedEstate): void {
  if (tree.estate?.value.spec.signatures?.required)
    throw refused([
      'The estate requires signed commits, and a patch is no commit. Commit the values, signed by a signer.',
    ]);
}

/** References to secrets and addresses stay as they are. */
function refuseGuarded(after: Located<ResourceDoc>, before: Located<ResourceDoc>): void {
  const guards = (one: Located<ResourceDoc>): string =>
    canonical(guardedFields(one.value).map(({ path, value }) => [path.map(String), value]));
  if (guards(after) !== guards(before))
    throw refused(['It changes a field by which the specs reach for a secret or an address. Commit it.']);
}

function between(from: OpenedEstate, to: OpenedEstate): readonly ScopePlan[] {
  const dialects = Object.fromEntries([...to.clouds].map(([cloud, { dialect }]) => [cloud, dialect]));
  return difference(from.compiled, to.compiled, { estate: to.name, dialects }).plans;
}

const wholeOf = (opened: OpenedEstate): Estate => ({ ...opened, dir: '', scopes: opened.compiled.scopes });

function onlyAt(plan: ScopePlan, addresses: ReadonlySet<Address>, input: PlanInput | undefined): ScopePlan {
  const actions = plan.actions.filter(({ address }) => addresses.has(address));
  return {
    ...plan,
    actions,
    findings: plan.findings.filter((found) => 'address' in found && addresses.has(found.address)),
    calls: { predicted: input === undefined ? plan.calls.predicted : predictedCalls(actions, input) },
  };
}

/** A patch that a policy denies would never be active. Changes that limits, pauses and windows withhold wait. */
function refuseDenied(plans: readonly ScopePlan[]): void {
  const denied = plans.flatMap(({ findings }) =>
    findings.filter((found) => found.type === 'withheld' && (found.code === 'policy' || found.code === 'protect')),
  );
  const destroyed = plans.flatMap(({ actions, findings }) => [
    ...actions.filter(({ verb, kind }) => kind !== 'firewall-rule' && (verb === 'replace' || verb === 'delete')),
    ...findings.filter(
      (found) => found.type === 'withheld' && found.kind === 'instance' && ['replace', 'delete'].includes(found.action),
    ),
  ]);
  if (denied.length > 0) throw refused([...new Set(denied.map(({ why }) => why))]);
  if (destroyed.length === 0) return;
  throw refused([
    `${destroyed.length} of its machines would be replaced or deleted by the active specs or the present state. Let that end first: setpoint plan --active`,
  ]);
}

async function accepted(opened: OpenedEstate, after: Generation, store: Store): Promise<Generation> {
  try {
    return await acceptSpecs(opened, store, after.number);
  } catch (error) {
    if (error instanceof Overtaken) throw changed();
    if (error instanceof Pinned) throw pinned(error.pin.by.reason);
    throw error;
  }
}

const changed = (): Declined =>
  new Declined('conflict', 'The active generation changed in the meantime. Run it again.');

const pinned = (reason: string): Declined => new Declined('conflict', `The estate is pinned at other specs: ${reason}`);

const reconcileAll = (opened: OpenedEstate, reason: string, store: Store): Promise<void> =>
  requestReconciles(
    opened,
    opened.compiled.scopes.map(({ scope }) => scope),
    { store, reason },
  );

const refused = (reasons: readonly string[]): Declined =>
  new Declined('conflict', reasons.slice(0, 5).join('\n'), { reasons });

const notYours = (): Declined =>
  new Declined('forbidden', 'You need the permission operate for the whole document.', { permission: 'operate' });

const noPatch = (active: readonly Patch[]): Declined =>
  new Declined(
    'unknown',
    active.length === 0
      ? 'No patch is active.'
      : `No active patch has this number. Active: ${active.map(({ id }) => `#${id}`).join(', ')}`,
  );
