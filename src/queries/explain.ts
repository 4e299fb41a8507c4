import { join } from 'node:path';
import { seesAll } from '../core/access/grant.ts';
import { byStrictness, type Desired, strictest } from '../core/desired.ts';
import { effectiveMode, isResource, type ResourceDoc } from '../core/documents/effective-terms.ts';
import { type FieldOrigin, fieldOrigins } from '../core/documents/field-origins.ts';
import { patchIn } from '../core/documents/overlay.ts';
import { ofKind } from '../core/documents/spec-set.ts';
import type { Located } from '../core/documents/tree.ts';
import { type Effect, effectInSteps, joinEffects } from '../core/effect/effect.ts';
import {
  type CadenceReason,
  type Explanation,
  type ModeReason,
  type Origin,
  type Ownership,
  ownership,
} from '../core/inventory/ownership.ts';
import type { Row } from '../core/inventory/row.ts';
import { criticalitiesOf } from '../core/plan/criticalities.ts';
import type { ModesBefore } from '../core/plan/plan-input.ts';
import { remediationsOf } from '../core/plan/remediation.ts';
import { type Address, nameIn } from '../core/resource.ts';
import { inTurns } from '../estate/in-turns.ts';
import type { Estate } from '../estate/load.ts';
import { Declined, type EstateAsked, type Explained } from '../ports/queries.ts';
import type { ScopeReconciles } from '../ports/reconciles.ts';
import type { Store } from '../ports/store.ts';
import { openActiveSpec, type QueryContext } from './active-estate.ts';
import { cadenceReason } from './cadence.ts';
import { type EstateView, lookOf, type StoredEstateView } from './estate-view.ts';
import type { PreviewContext } from './preview.ts';
import { boundWithin, seesAddress, seesScope } from './visible-plans.ts';

/** Missing resources, and resources outside the caller's bounds, get the same answer. */
export async function explained(
  { of, ...asked }: EstateAsked & { readonly of: string },
  planning: PreviewContext,
): Promise<Explained> {
  const survey = await planning.survey(asked);
  const isSeen = seenIn(survey, asked);
  const resolve: FindAddress = (given, known) => addressIn(given, [...known].filter(isSeen));
  const found = explanationOf(of, survey, resolve, await planning.store.reconciles.scopes(asked.estate));
  const explanation = { ...found, origins: await namingPatches(found.origins, survey.estate.name, planning.store) };
  if (!isShown(explanation, survey, asked)) throw unknown();
  const looks = survey.looked.filter((view) => seesScope(view, asked)).map(lookOf);
  const shown = {
    bound: boundWithin(survey.bound, asked),
    looks: looks.filter(({ scope }) => holds(scope, explanation)),
  };
  // why: the effect names machines of all owners
  if (!seesAll(asked.seen, asked.estate)) return { ...shown, explanation: withoutDecider(explanation) };
  const effect = await effectOfActions(explanation, survey);
  return { ...shown, explanation, ...(effect === undefined ? {} : { effect }) };
}

/** The effect on traffic of the actions of one resource, without the others of its plans. Undefined where it has none. */
export async function effectOfActions(
  { actions }: Pick<Explanation, 'actions'>,
  { looked, plans }: Pick<EstateView, 'looked' | 'plans'>,
): Promise<Effect | undefined> {
  if (actions.length === 0) return undefined;
  const its = new Set(actions);
  const effects: Effect[] = [];
  for (const plan of plans) {
    const input = looked.find((view) => view.scope.scope === plan.scope)?.input;
    const alone = plan.actions.filter((action) => its.has(action));
    if (input !== undefined && alone.length > 0) effects.push(await inTurns(effectInSteps({ actions: alone }, input)));
  }
  return joinEffects(effects);
}

/** Names the patch in the origins of its fields: its person, reason and end. */
export async function namingPatches(
  origins: readonly Origin[],
  estate: string,
  store: Pick<Store, 'fleet'> | undefined,
): Promise<readonly Origin[]> {
  if (store === undefined || !origins.some(({ layer }) => layer.startsWith('patch '))) return origins;
  const patches = await store.fleet.patches.active(estate);
  return origins.map((origin): Origin => {
    const found = patches.find(({ id }) => origin.layer === `patch #${id}`);
    if (found === undefined) return origin;
    const { id, person: actor, reason, until } = found;
    return { ...origin, patch: { id, actor, reason, until } };
  });
}

/** The document that decides about the whole scope may be somebody else's. */
function withoutDecider({ cadence, ...rest }: Explanation): Explanation {
  if (cadence === undefined) return rest;
  const { everyDecidedBy: _, ...shown } = cadence;
  return { ...rest, cadence: shown };
}

export const unknown = (): Declined => new Declined('unknown', 'It does not exist, or your grants do not cover it.');

const seenIn =
  ({ looked }: StoredEstateView, asked: EstateAsked) =>
  (address: Address): boolean =>
    looked.some((view) => address.startsWith(`${view.scope.scope}/`) && seesAddress(address, view, asked));

/** Resources of ours are shown by their address, unmanaged ones by their scope. */
function isShown({ address, wanted, there }: Explanation, survey: StoredEstateView, asked: EstateAsked): boolean {
  if (wanted.length + there.length === 0) return false;
  if (seesAll(asked.seen, asked.estate) || seenIn(survey, asked)(address)) return true;
  const scopes = new Set(there.map(({ scope }) => scope));
  return survey.looked.some((view) => scopes.has(view.scope.scope) && seesAddress(address, view, asked));
}

/** Written whole, or any ending of it that is unique. */
export function addressIn(given: string, known: readonly Address[]): Address {
  if (known.includes(given)) return given;
  const fits = known.filter((address) => address.endsWith(`/${given}`) || address.endsWith(`.${given}`));
  const [only] = fits;
  if (only === undefined) throw unknown();
  if (fits.length === 1) return only;
  throw new Declined('conflict', `The name matches ${fits.length} addresses. Send one of \`addresses\` in full.`, {
    addresses: fits.slice(0, mostListed),
  });
}

const mostListed = 10;

const holds = (scope: string, { address, there }: Explanation): boolean =>
  address.startsWith(`${scope}/`) || there.some((one) => one.scope === scope);

/** Resolves an address that a person typed; throws where it cannot. */
export type FindAddress = (given: string, known: ReadonlySet<Address>) => Address;

/** `given`: an address, or an id of the cloud. `reconciles`: of the estate's scopes. */
export function explanationOf(
  given: string,
  { estate, looked, plans }: EstateView,
  findAddress: FindAddress,
  reconciles: readonly ScopeReconciles[] = [],
): Explanation {
  const desired = looked.flatMap(({ input }) => input.wanted.desired);
  const owned = looked.flatMap(({ input }, i) => {
    const plan = plans[i];
    return plan === undefined ? [] : ownership(input, plan);
  });
  const byId = owned.find(({ observed }) => observed.id === given);
  const address = byId ? (byId.address ?? given) : findAddress(given, addressesOf(desired, owned));
  const isMeant = (one: { readonly address?: Address; readonly documents?: Desired['documents'] }): boolean =>
    one.address === address || (one.documents?.some((document) => document.address === address) ?? false);
  const wanted = desired.filter(isMeant);
  const atoms = new Set([address, ...wanted.map((one) => one.address)]);
  const there = owned.filter((one) => one === byId || (one.address !== undefined && atoms.has(one.address)));
  const ids = new Set(there.map(({ observed }) => observed.id));
  return {
    address,
    wanted,
    origins: originsOf(wanted, estate),
    mode: wanted[0] && modeNow(wanted[0], estate, looked[0]?.input.choices?.modesBefore),
    remediation: remediationIn(wanted[0], { looked, dir: estate.dir }),
    cadence: cadenceNow({ address, wanted, there }, { estate, looked, reconciles }),
    there,
    actions: plans.flatMap(({ actions }) => actions.filter(isMeant)),
    findings: plans.flatMap(({ findings }) =>
      findings.filter(
        (found) =>
          ('address' in found && atoms.has(found.address)) ||
          ('id' in found && (ids.has(found.id) || (found.of !== undefined && atoms.has(found.of)))),
      ),
    ),
  };
}

function remediationIn(
  desired: Desired | undefined,
  { looked, dir }: Pick<EstateView, 'looked'> & Pick<Estate, 'dir'>,
): Explanation['remediation'] {
  const input = looked.map((view) => view.input).find(({ wanted }) => desired && wanted.desired.includes(desired));
  if (desired === undefined || input === undefined) return [];
  return remediationsOf(desired, { ...input, pathOf: (path) => join(dir, path) });
}

const addressesOf = (desired: readonly Desired[], owned: readonly Ownership[]): ReadonlySet<Address> =>
  new Set([
    ...desired.flatMap((one) => [one.address, ...one.documents.map(({ address }) => address)]),
    ...owned.flatMap(({ address }) => address ?? []),
  ]);

/** The mode that holds, beside what the generation before said of its documents. */
function modeNow(desired: Desired, estate: Estate, before: ModesBefore | undefined): ModeReason {
  const reason = modeReason(desired, estate);
  const former = desired.documents.flatMap(({ address }) => before?.(address) ?? []);
  if (former.length === 0 || byStrictness(strictest(former), reason.mode) >= 0) return reason;
  return { ...reason, stillBoundBy: strictest(former) };
}

function modeReason({ kind, address, documents, terms }: Desired, estate: Estate): ModeReason {
  // why: a group heeds its network too; an atom of several rules is as the first of them says
  const refs = kind === 'group' ? documents : documents.slice(0, 1);
  const resources = refs.flatMap((ref) => documentAt(ref, estate) ?? []);
  const scope = estate.scopes.find(({ wanted }) => wanted.desired.some((one) => one.address === address));
  const target = ofKind(estate.tree.documents, 'Target').find(
    ({ value }) => value.metadata.name === scope?.targets[0]?.metadata.name,
  );
  if (resources.length === 0 || target === undefined || estate.tree.estate === undefined)
    return { mode: terms.mode, why: 'of its documents' };
  const { mode, decidedBy } = effectiveMode(resources, target, estate.tree.estate);
  if (decidedBy === undefined) return { mode, why: 'nobody set one' };
  return { mode, why: `${decidedBy.document} says so at ${join(estate.dir, decidedBy.at.file)}:${decidedBy.at.line}` };
}

interface CadenceGround {
  readonly reconciles: readonly ScopeReconciles[];
}

/** By the documents that want it; without one, by the plan. */
function cadenceNow(
  { address, wanted: [desired], there: [existing] }: Pick<Explanation, 'address' | 'wanted' | 'there'>,
  { estate, looked, reconciles }: Pick<EstateView, 'estate' | 'looked'> & CadenceGround,
): CadenceReason | undefined {
  const view = looked.find(({ scope, input }) =>
    desired === undefined ? scope.scope === existing?.scope : input.wanted.desired.includes(desired),
  );
  if (view === undefined) return undefined;
  const subject = { address: desired?.address ?? existing?.address ?? address, observed: existing?.observed };
  const documents = (desired?.documents ?? []).flatMap((ref) => documentAt(ref, estate) ?? []);
  const { scope } = view;
  const ofScope = reconciles.find((one) => one.scope === scope.scope);
  const own = criticalitiesOf(view.input).of(subject);
  return cadenceReason({ scope, desired, documents, own, reconciles: ofScope }, estate);
}

function documentAt({ file, line }: Desired['documents'][number], { tree }: Estate): Located<ResourceDoc> | undefined {
  const found = tree.documents.find(({ at }) => at().file === file && at().line === line);
  return found !== undefined && isResource(found) ? found : undefined;
}

/** The line of the active specs that decided each field of a resource; none where they cannot say. */
export async function originsAt(
  { estate: name, place, whose, called }: Row & { readonly estate: string },
  grounds: QueryContext,
): Promise<readonly Origin[]> {
  const { estate } = await openActiveSpec(name, grounds).catch(unsaid);
  if (estate === undefined) return [];
  const { scopes } = estate.compiled;
  const desired = scopes.find(({ scope }) => scope === place.scope)?.wanted.desired ?? [];
  const documents = new Set(whose.documents.map(({ address }) => address));
  // why: an atom in its cloud's own spelling has no desired resource of its name, but its documents have some
  const wanted =
    desired.find(({ address }) => address === called.address) ??
    desired.find((one) => one.kind === place.kind && one.documents.some(({ address }) => documents.has(address)));
  const origins = wanted === undefined ? [] : originsOf([wanted], { ...estate, dir: '', scopes });
  return namingPatches(origins, name, grounds.store);
}

function unsaid(error: unknown): { readonly estate?: undefined } {
  if (error instanceof Declined && error.because === 'conflict') return {};
  throw error;
}

/** Of each document once, however many atoms it makes. */
function originsOf(wanted: readonly Desired[], estate: Estate): readonly Origin[] {
  const listed = new Set<Address>();
  return wanted.flatMap((one) => {
    const documents = one.documents.map((ref) => ({ ref, document: documentAt(ref, estate) }));
    const ownLabels = documents.some(
      ({ document }) => document?.value.kind === 'Group' && document.value.metadata.labels !== undefined,
    );
    return documents.flatMap(({ ref, document }) => {
      if (listed.has(ref.address) || document === undefined) return [];
      listed.add(ref.address);
      const asked = { kind: one.kind, name: nameIn(one.address, one.kind), target: targetOf(one, document, estate) };
      return fieldOrigins(document, { ...asked, ownLabels }).map((origin) => placed(origin, ref.address, estate.dir));
    });
  });
}

function placed({ at, ...origin }: FieldOrigin, document: Address, dir: string): Origin {
  // why: a patch has no line that a person could open
  if (at === undefined || patchIn(at.file) !== undefined) return { document, ...origin };
  return { document, ...origin, file: join(dir, at.file), line: at.line, column: at.column };
}

/** Of the targets that lie where the resource does, one that the document names. */
function targetOf({ address }: Desired, { value: { spec } }: Located<ResourceDoc>, { scopes }: Estate): string {
  const scope = scopes.find(({ wanted }) => wanted.desired.some((one) => one.address === address));
  const here = scope?.wanted.targets ?? [];
  return here.find((name) => spec.targets?.includes(name)) ?? here[0] ?? '';
}
