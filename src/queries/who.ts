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
import { writesIn } from '../core/ledger/writes.ts';
import type { PlanInput } from '../core/plan/plan-input.ts';
import type { Address, CloudId, Kind, RuleAttributes, ScopeKey } from '../core/resource.ts';
import type { EntryPages } from '../ports/ledger.ts';
import type { Who, WhoAsked } from '../ports/queries.ts';
import { type EstateView, lookOf } from './estate-view.ts';
import { addressIn, explanationOf, type FindAddress, unknown } from './explain.ts';
import type { PreviewContext } from './preview.ts';
import { seesAddress, seesScope } from './visible-plans.ts';

/** The most entries of one address that are read, and the most addresses that are asked about at once. */
const mostEntries = 100;
const atOnce = 8;

interface Asking {
  /** Of the ledger. */
  readonly entries: Pick<EntryPages, 'page'>;
  readonly findAddress: FindAddress;
  /** True where the asker may see it; absent: all. */
  readonly sees?: (one: Resource) => boolean;
}

/** Who changed a resource or an unmanaged object, or of a port every rule that opens it, when and by which call. */
export async function whoOf(
  given: string,
  view: EstateView,
  { entries, findAddress, sees = () => true }: Asking,
): Promise<WhoReport> {
  const port = parsePort(given);
  const plans = new Map(view.plans.map((plan) => [plan.scope, plan]));
  const { subject, resources } =
    port === undefined ? subjectOf(given, view, findAddress) : { subject: given, resources: opening(port, view) };
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
    found: found.toSorted(byNewest),
    incomplete: port === undefined ? [] : unlistedScopes(view),
    ...(auditLogs === undefined ? {} : { auditLogs }),
  };
}

/** The part within a caller's bounds. Missing resources, and resources outside the bounds, get the same answer. */
export async function whoWithin({ of, entries, ...asked }: WhoAsked, planning: PreviewContext): Promise<Who> {
  const view = await planning.survey(asked);
  const looked = view.looked.filter((one) => seesScope(one, asked));
  const isSeen = (address: Address, scope: ScopeKey): boolean =>
    looked.some((one) => one.scope.scope === scope && seesAddress(address, one, asked));
  const findAddress: FindAddress = (given, known) =>
    addressIn(
      given,
      [...known].filter((address) =>
        looked.some(({ scope: { scope } }) => isAt(address, scope) && isSeen(address, scope)),
      ),
    );
  const sees = ({ address, owned, scope }: Resource): boolean => isSeen(address ?? owned?.observed.id ?? '', scope);
  const report = await whoOf(of, view, { entries, findAddress, sees });
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
  readonly input: PlanInput | undefined;
}

/** Every observed rule that opens the port, whoever made it. */
function opening(port: PortAsked, { looked, plans }: EstateView): readonly Resource[] {
  return looked.flatMap(({ input }, i) => {
    const plan = plans[i];
    if (plan === undefined) return [];
    return ownership(input, plan).flatMap((owned) =>
      // why: only rules have these attributes
      owned.observed.kind === 'firewall-rule' && opens(owned.observed.attributes as RuleAttributes, port)
        ? [resourceOf(owned, input)]
        : [],
    );
  });
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

/** The objects at an address, and the resources of its documents that are gone. A resource that no document names any more counts too. */
function subjectOf(given: string, view: EstateView, findAddress: FindAddress): Subject {
  const inputs = new Map(view.looked.map(({ input }) => [input.observation.scope, input]));
  const settled = view.looked.flatMap(({ input }) =>
    [...input.knowledge.settled].map(([id, { address, kind }]) => ({ id, address, kind, input })),
  );
  const known = new Set(settled.map(({ address }) => address));
  const { address, there, wanted } = explanationOf(given, view, (text, others) =>
    findAddress(text, new Set([...others, ...known])),
  );
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
  { kind, scope, address, owned, ids = [], input }: Resource,
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
  const healing = plan && healingOf({ id: owned?.observed.id, address }, plan);
  return {
    scope,
    kind,
    ...(address === undefined ? {} : { address }),
    ...(object === undefined ? {} : { object }),
    ...(healing === undefined ? {} : { healing }),
    changes: newestFirst([...heard, ...written]),
  };
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
