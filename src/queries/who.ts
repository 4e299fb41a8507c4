import type { ScopePlan } from '../core/action.ts';
import type { Authorship, Change, PortAsked, WhoReport } from '../core/inventory/authors.ts';
import {
  byNewest,
  healingOf,
  heardChanges,
  newestFirst,
  opens,
  ownChanges,
  parsePort,
} from '../core/inventory/authors.ts';
import { type Ownership, ownership } from '../core/inventory/ownership.ts';
import { kindNames } from '../core/kinds/kinds.ts';
import { writesIn } from '../core/ledger/writes.ts';
import type { PlanInput } from '../core/plan/plan-input.ts';
import { ruleText } from '../core/render/rule-text.ts';
import {
  type Address,
  type CloudId,
  type Kind,
  prefixIn,
  type RuleAttributes,
  type ScopeKey,
} from '../core/resource.ts';
import type { EntryPages } from '../ports/ledger.ts';
import type { Who, WhoAsked } from '../ports/queries.ts';
import { type EstateView, lookOf } from './estate-view.ts';
import { addressIn, explanationOf, type FindAddress, unknown } from './explain.ts';
import type { PreviewContext } from './preview.ts';
import { seesAddress, seesScope } from './visible-plans.ts';

/** The most entries of one address that are read, and the most addresses that are asked about at once. */
const mostEntries = 100;
const atOnce = 8;

interface Asking extends Pick<WhoAsked, 'entries' | 'authors'> {
  readonly findAddress: FindAddress;
  /** True where the asker may see it; absent: all. */
  readonly sees?: (one: Resource) => boolean;
  readonly seesAddress?: (address: Address) => boolean;
}

/** Finds the author, time and call of each change to a resource or an unmanaged object, or to the rules that open a port. */
export async function whoOf(
  given: string,
  view: EstateView,
  { entries, authors, findAddress, sees = () => true, ...asking }: Asking,
): Promise<WhoReport> {
  const port = parsePort(given);
  const plans = new Map(view.plans.map((plan) => [plan.scope, plan]));
  const { subject, resources, truncated } =
    port === undefined
      ? { ...(await subjectOf(given, view, { entries, findAddress, ...asking })), truncated: false }
      : { subject: given, ...(await withPort(port, view, entries)) };
  const context = { estate: view.estate.name, entries };
  const visible = resources.filter(sees);
  const found: Authorship[] = [];
  for (let from = 0; from < visible.length; from += atOnce) {
    const some = visible.slice(from, from + atOnce);
    found.push(
      ...(await Promise.all(some.map((one) => authorshipOf(one, { ...context, plan: plans.get(one.scope) })))),
    );
  }
  const { auditLogs } = view.bound;
  return {
    subject,
    ...(port === undefined ? {} : { port }),
    found: (await withAuthors(found, view.estate.name, authors)).toSorted(byNewest),
    incomplete: port === undefined ? [] : unlistedScopes(view),
    ...(truncated ? { truncated } : {}),
    ...(auditLogs === undefined ? {} : { auditLogs }),
  };
}

/** The part within a caller's bounds. Missing resources, and resources outside the bounds, get the same answer. */
export async function whoWithin({ of, entries, authors, ...asked }: WhoAsked, planning: PreviewContext): Promise<Who> {
  const view = await planning.survey(asked);
  const looked = view.looked.filter((one) => seesScope(one, asked));
  const isSeen = (address: Address, scope: ScopeKey): boolean =>
    looked.some((one) => one.scope.scope === scope && seesAddress(address, one, asked));
  const seesAnywhere = (address: Address): boolean =>
    looked.some(({ scope: { scope } }) => isAt(address, scope) && isSeen(address, scope));
  const findAddress: FindAddress = (given, known) => addressIn(given, [...known]);
  const sees = ({ address, owned, scope }: Resource): boolean => isSeen(address ?? owned?.observed.id ?? '', scope);
  const asking = { entries, findAddress, sees, seesAddress: seesAnywhere, ...(authors && { authors }) };
  const report = await whoOf(of, view, asking);
  if (report.port === undefined && report.found.length === 0) throw unknown();
  const scopes = new Set<ScopeKey>(
    report.port === undefined ? report.found.map(({ scope }) => scope) : looked.map(({ scope }) => scope.scope),
  );
  return {
    estate: asked.estate,
    looks: looked.map(lookOf).filter(({ scope }) => scopes.has(scope)),
    report: { ...report, incomplete: report.incomplete.filter((scope) => scopes.has(scope)) },
  };
}

const isAt = (address: Address, scope: ScopeKey): boolean => address.startsWith(`${scope}/`);

/** A resource to ask about, with all that is known of its scope. */
interface Resource {
  readonly kind: Kind;
  readonly scope: string;
  readonly address?: Address;
  readonly owned?: Ownership;
  /** Of what is gone. */
  readonly ids?: readonly CloudId[];
  readonly rule?: RuleAttributes;
  readonly input: PlanInput | undefined;
}

interface PortRules {
  readonly resources: readonly Resource[];
  /** Older changes of rules were not read. */
  readonly truncated: boolean;
}

const lately = 7 * 86_400_000;
/** Changes of rules that are read, of each verb. */
const mostChanges = 1_000;

/**
 * Every observed rule that opens the port, whoever made it. Also each rule that Setpoint removed or changed lately, as it was while it
 * opened the port: people ask for the authors of these afterwards.
 */
async function withPort(port: PortAsked, view: EstateView, entries: Pick<EntryPages, 'page'>): Promise<PortRules> {
  const standing = view.looked.flatMap(({ input }, i) => {
    const plan = view.plans[i];
    const owned = plan === undefined ? [] : ownership(input, plan);
    return owned.filter(({ observed }) => observed.kind === 'firewall-rule').map((one) => resourceOf(one, input));
  });
  const { former, truncated } = await formerRules(port, view, entries);
  const isStanding = new Set(standing.map(({ owned }) => owned?.observed.id));
  const before = formerById(former);
  const changed = standing.map((one): Resource => {
    const rule = before.get(one.owned?.observed.id ?? '');
    return rule === undefined || ruleText(rule) === ruleText(ruleIn(one)) ? one : { ...one, rule };
  });
  const gone = former.filter(({ ids = [] }) => !ids.some((id) => isStanding.has(id)));
  const told = changed.filter((one) => one.rule !== undefined || opens(ruleIn(one), port));
  return { resources: [...told, ...gone], truncated };
}

/** The newest change of each object counts. `former`: newest first. */
function formerById(former: readonly Resource[]): ReadonlyMap<CloudId, RuleAttributes> {
  const found = new Map<CloudId, RuleAttributes>();
  for (const { ids = [], rule } of former)
    for (const id of ids) if (rule !== undefined && !found.has(id)) found.set(id, rule);
  return found;
}

const ruleIn = ({ owned }: Resource): RuleAttributes => owned?.observed.attributes as RuleAttributes; // why: a rule has these

/** By the newest change that found the port open. */
async function formerRules(
  port: PortAsked,
  { estate, looked }: EstateView,
  entries: Pick<EntryPages, 'page'>,
): Promise<{ readonly former: readonly Resource[]; readonly truncated: boolean }> {
  const inputs = new Map(looked.map(({ input }) => [input.observation.scope, input]));
  const since = Math.max(0, ...looked.map(({ input }) => input.observation.at)) - lately;
  const pages = await Promise.all(
    (['delete', 'update'] as const).map((verb) => {
      const filter = { types: ['intent'] as const, kind: 'firewall-rule' as const, verb, since };
      return entries.page({ estate: estate.name, filter, newestFirst: true, limit: mostChanges });
    }),
  );
  const found = new Map<Address, Resource>();
  for (const { kind, scope, address, id, before } of writesIn(pages.flatMap(({ entries: some }) => some))) {
    if (before === undefined || !inputs.has(scope) || found.has(address)) continue;
    const rule = before as RuleAttributes; // why: the intent of a rule has these
    if (!opens(rule, port)) continue;
    found.set(address, { kind, scope, address, rule, ids: id === undefined ? [] : [id], input: inputs.get(scope) });
  }
  return { former: [...found.values()], truncated: pages.some(({ next }) => next !== undefined) };
}

/** Each change of ours with the authors of its generation. */
async function withAuthors(
  found: readonly Authorship[],
  estate: string,
  authors: Asking['authors'],
): Promise<readonly Authorship[]> {
  const generations = new Set(
    found.flatMap(({ changes }) => changes.flatMap((one) => (one.source === 'ledger' ? [one.write.generation] : []))),
  );
  if (authors === undefined || generations.size === 0) return found;
  const known = await authors.of(estate, [...generations]);
  const of = new Map(known.map((one) => [one.generation, one.authors]));
  return found.map((one) => ({
    ...one,
    changes: one.changes.map((change) => {
      const names = change.source === 'ledger' ? of.get(change.write.generation) : undefined;
      return names === undefined ? change : { ...change, authors: names };
    }),
  }));
}

const unlistedScopes = ({ looked }: EstateView): readonly ScopeKey[] =>
  looked.flatMap(({ input: { observation } }) =>
    observation.gaps.some(({ kind }) => kind === 'firewall-rule' || kind === 'group') ? [observation.scope] : [],
  );

const resourceOf = (owned: Ownership, input: PlanInput | undefined): Resource => ({
  kind: owned.observed.kind,
  scope: owned.scope,
  ...(owned.address === undefined ? {} : { address: owned.address }),
  owned,
  input,
});

interface Subject {
  readonly subject: string;
  readonly resources: readonly Resource[];
}

/**
 * The objects at an address, and the resources of its documents that are gone. A resource counts too that no document names any
 * more, and one of which only the ledger knows.
 */
async function subjectOf(given: string, view: EstateView, asking: Asking): Promise<Subject> {
  const known = knownAddresses(view, asking);
  const isKnown =
    view.looked.some(({ input }) => input.observation.resources.some(({ id }) => id === given)) ||
    [...known].some((address) => address === given || address.endsWith(`/${given}`) || address.endsWith(`.${given}`));
  if (!isKnown) {
    const resources = await pastResources(given, view, asking.entries);
    const [first] = resources;
    if (first !== undefined) return { subject: resources.length === 1 ? (first.address ?? given) : given, resources };
  }
  return knownSubject(given, view, (text) => asking.findAddress(text, known));
}

/** The addresses of documents, of observed resources and of settled ones, as far as the caller sees them. */
function knownAddresses({ looked }: EstateView, { seesAddress = () => true }: Asking): ReadonlySet<Address> {
  const all = looked.flatMap(({ input: { wanted, knowledge } }) => [
    ...wanted.desired.flatMap((one) => [one.address, ...one.documents.map(({ address }) => address)]),
    ...[...knowledge.settled.values()].map(({ address }) => address),
  ]);
  return new Set(all.filter(seesAddress));
}

/** The addresses that the ledger has: the whole one, or a name in any place and kind of the estate. */
async function pastResources(
  given: string,
  { estate, looked }: EstateView,
  entries: Pick<EntryPages, 'page'>,
): Promise<readonly Resource[]> {
  const places = new Set(
    looked.flatMap(({ input: { observation, wanted } }) => [
      observation.scope,
      ...wanted.desired.map(({ address, kind }) => prefixIn(address, kind)),
    ]),
  );
  const named = [...places].flatMap((place) =>
    kindNames.map((kind) => ({ kind, address: `${place}/${kind}/${given}` })),
  );
  const whole = kindNames.filter((kind) => given.includes(`/${kind}/`)).map((kind) => ({ kind, address: given }));
  const found: Resource[] = [];
  for (const { kind, address } of [...whole, ...named].slice(0, mostGuesses)) {
    const { entries: past } = await entries.page({
      estate: estate.name,
      filter: { address },
      newestFirst: true,
      limit: 1,
    });
    const input = looked.find(({ input: one }) => isAt(address, one.observation.scope))?.input;
    if (past.length > 0 && input !== undefined) found.push({ kind, scope: input.observation.scope, address, input });
  }
  return found;
}

const mostGuesses = 60;

function knownSubject(given: string, view: EstateView, findAddress: FindAddress): Subject {
  const inputs = new Map(view.looked.map(({ input }) => [input.observation.scope, input]));
  const settled = view.looked.flatMap(({ input }) =>
    [...input.knowledge.settled].map(([id, { address, kind }]) => ({ id, address, kind, input })),
  );
  const { address, there, wanted } = explanationOf(given, view, findAddress);
  const standing = there.map((owned) => resourceOf(owned, inputs.get(owned.scope)));
  const stands = new Set(there.map((owned) => owned.address));
  const missing = [...new Map(wanted.map((one) => [one.address, one.kind]))].filter(([one]) => !stands.has(one));
  const forgotten = settled.filter((one) => one.address === address && there.length + wanted.length === 0);
  const gone = [...missing, ...new Map(forgotten.map((one) => [one.address, one.kind]))];
  return {
    subject: address,
    resources: [
      ...standing,
      ...gone.map(([one, kind]): Resource => {
        const scope = [...inputs.keys()].find((key) => isAt(one, key)) ?? '';
        const ids = settled.filter((each) => each.address === one).map(({ id }) => id);
        return { kind, scope, address: one, ids, input: inputs.get(scope) };
      }),
    ],
  };
}

interface LedgerContext extends Pick<Asking, 'entries'> {
  readonly estate: string;
}

async function authorshipOf(
  { kind, scope, address, owned, ids = [], input, rule }: Resource,
  { plan, ...context }: LedgerContext & { readonly plan: ScopePlan | undefined },
): Promise<Authorship> {
  const object = owned && { observed: owned.observed, claim: owned.claim, why: owned.why };
  const parts = owned?.observed.condition.parts ?? [];
  const about = {
    ids: owned === undefined ? ids : [owned.observed.id, ...parts.map(({ id }) => id)],
    container: owned?.observed.signs.container,
  };
  const heard = input === undefined ? [] : heardChanges(about, input);
  const written = address === undefined ? [] : await writesAt(address, owned?.observed.id, context);
  const past = rule ?? (kind === 'firewall-rule' && object === undefined ? lastRuleIn(written) : undefined);
  const healing = plan && healingOf({ id: owned?.observed.id, address }, plan);
  return {
    scope,
    kind,
    ...(address === undefined ? {} : { address }),
    ...(object === undefined ? {} : { object }),
    ...(past === undefined ? {} : { rule: past }),
    ...(healing === undefined ? {} : { healing }),
    changes: newestFirst([...heard, ...written]),
  };
}

/** As the newest write had it. */
function lastRuleIn(changes: readonly Change[]): RuleAttributes | undefined {
  const [attributes] = changes.flatMap((one) => (one.source === 'ledger' ? (one.write.attributes ?? []) : []));
  return attributes as RuleAttributes | undefined; // why: the intents of a rule have these
}

/** Of an object that stands, without the writes of others that stood at its address before. */
async function writesAt(
  address: Address,
  id: CloudId | undefined,
  { estate, entries: pages }: LedgerContext,
): Promise<readonly Change[]> {
  const { entries } = await pages.page({
    estate,
    filter: { address, types: ['intent', 'settlement'] },
    newestFirst: true,
    limit: mostEntries,
  });
  const writes = writesIn(entries);
  return ownChanges(id === undefined ? writes : writes.filter((write) => write.id === undefined || write.id === id));
}
