import type { ScopePlan } from '../action.ts';
import type { Compiled } from '../compile/compile.ts';
import type { Dialect } from '../compile/dialect.ts';
import { type Desired, isClaimedInStore } from '../desired.ts';
import { type Effect, effectOf, joinEffects } from '../effect/effect.ts';
import { rulesOf } from '../kinds/kinds.ts';
import { type Knowledge, type Settled, withoutStore } from '../knowledge.ts';
import type { Observation, Observed } from '../observed.ts';
import type { Cloud, CloudId, NetworkAttributes, Ref, ScopeKey, SubnetAttributes } from '../resource.ts';
import { assignPriorities } from './align-desired.ts';
import { plan } from './plan.ts';
import type { PlanInput, Wanted } from './plan-input.ts';
import { worldOf } from './world.ts';

export interface Compared {
  /** Of each scope of the second, in its order. */
  readonly plans: readonly ScopePlan[];
  /** The change of the traffic that rules of the specs allow. */
  readonly effect: Effect;
  /** Scopes of the first that the second has not: what stands there stays, and nobody looks after it. */
  readonly left: readonly LeftScope[];
}

export interface LeftScope {
  readonly scope: ScopeKey;
  readonly documents: number;
}

interface Ground {
  /** Of the second. */
  readonly estate: string;
  readonly dialects: Readonly<Partial<Record<Cloud, Dialect>>>;
}

/** The difference between two states of the specs, scope by scope. */
export function difference(from: Compiled, to: Compiled, { estate, dialects }: Ground): Compared {
  const before = new Map(from.scopes.map((one) => [one.scope, one.wanted]));
  const after = new Set(to.scopes.map(({ scope }) => scope));
  const previews = to.scopes.map(({ scope, wanted, targets: [target] }) => {
    const dialect = target && dialects[target.spec.provider];
    if (dialect === undefined) throw new Error(`${scope} is on no cloud that was opened`);
    const input = previewInput(before.get(scope), { scope, estate, wanted, dialect });
    const made = plan(input);
    return { plan: made, effect: effectOf(made, withNothingElse(input)) };
  });
  return {
    plans: previews.map((one) => one.plan),
    effect: joinEffects(previews.map(({ effect }) => effect)),
    left: from.scopes
      .filter(({ scope }) => !after.has(scope))
      .map(({ scope, wanted }) => ({ scope, documents: wanted.documents.size })),
  };
}

/**
 * The input of the plan that takes a scope from one state of the specs (`from`; absent: empty) to another one. The plan has all that
 * the planner reports: replaces, immutable fields, orphans and protected resources. No cloud is asked. Limits are
 * left out: they count earlier actions. Resources that `to` adopts count as present and as desired.
 */
function previewInput(from: Wanted | undefined, { wanted, ...place }: PreviewScope): PlanInput {
  const before = hypotheticalState({ ...place, wanted: from ?? { ...wanted, desired: [], documents: new Map() } });
  const { observation, knowledge } = before;
  return {
    wanted,
    observation: { ...observation, resources: [...observation.resources, ...toAdopt(wanted.desired, before)] },
    knowledge,
    dialect: place.dialect,
    choices: { atOnce: true },
  };
}

/** For the effect: networks have no peering, subnets of Azure no route of their own, and no filter beside the rules decides on traffic. */
function withNothingElse(input: PlanInput): PlanInput {
  const { resources, scope } = input.observation;
  const subnets = resources.flatMap(({ kind, id }) =>
    kind === 'subnet' ? [{ subnet: id, filters: [], unlisted: [] }] : [],
  );
  return {
    ...input,
    observation: {
      ...input.observation,
      resources: resources.map((one) => {
        if (one.kind === 'network') return withSettings(one, { peerings: [] });
        return one.kind === 'subnet' && scope.startsWith('azure/') ? withSettings(one, { routes: [] }) : one;
      }),
      outerFilters: { at: 0, subnets },
    },
  };
}

/** `usual`: of settings that the specs do not state. */
function withSettings(one: Observed, usual: object): Observed {
  const { settings, ...attributes } = one.attributes as NetworkAttributes | SubnetAttributes; // why: both kinds have these
  const completed = { ...attributes, settings: { ...usual, ...settings } };
  return { ...one, attributes: completed as Observed['attributes'] }; // why: the settings are of its kind
}

/** Objects of nobody that documents name, as these ask for them. */
function toAdopt(desired: readonly Desired[], { knowledge: { settled } }: HypotheticalState): readonly Observed[] {
  const ours = new Set([...settled.values()].map(({ address }) => address));
  return desired.flatMap(({ kind, name, attributes, address, terms }) => {
    const id = terms.claim?.adopt;
    if (id === undefined || ours.has(address) || settled.has(id)) return [];
    return [{ kind, id, name, attributes, signs: {}, condition: { state: 'ready' } }];
  });
}

/** A scope in which everything stands as specs ask. Nobody looked: it is what a look would show, and a store would know. */
interface HypotheticalState {
  readonly observation: Observation;
  readonly knowledge: Knowledge;
}

interface PreviewScope {
  readonly scope: ScopeKey;
  readonly estate: string;
  readonly wanted: Wanted;
  readonly dialect: Dialect;
}

/** Ids are made up: what was adopted has the one that its document names, and everything else its address. */
function hypotheticalState({ scope, estate, wanted, dialect }: PreviewScope): HypotheticalState {
  const observation: Observation = { scope, at: 0, resources: [], gaps: [], pending: [], calls: 0 };
  const knowledge: Knowledge = { ...withoutStore(estate), store };
  const nothing = worldOf({ wanted, observation, knowledge, dialect }, []);
  const standing = assignPriorities(
    wanted.desired.filter(({ terms }) => terms.presence !== 'tolerated'),
    nothing,
  );
  const ids = new Map(standing.map((one) => [one.address, idOf(one)]));
  const toId = (ref: Ref): Ref => ids.get(ref) ?? ref;
  return {
    observation: { ...observation, resources: standing.map((one) => observed(one, { estate, toId, dialect })) },
    knowledge: {
      ...knowledge,
      settled: new Map(standing.map((one) => [idOf(one), settled(one, wanted, dialect)])),
      applied: new Map(standing.map((one) => [one.address, applied(one)])),
    },
  };
}

/** Of nobody: whatever the specs are compared with has one store. */
const store = 'as-specified';

const idOf = ({ address, terms }: Desired): CloudId => terms.claim?.adopt ?? address;

interface Marking {
  readonly estate: string;
  readonly toId: (ref: Ref) => Ref;
  readonly dialect: Dialect;
}

function observed(desired: Desired, { estate, toId, dialect }: Marking): Observed {
  const { kind, address, name, attributes, terms } = desired;
  const isAdopted = terms.claim?.adopt !== undefined;
  return {
    kind,
    id: idOf(desired),
    name,
    attributes: rulesOf(kind).mapRefs(named(desired, dialect), toId),
    signs: {
      mark: {
        ...{ estate, store },
        ...(dialect.holds.equalMarks && isAdopted ? {} : { address, deletionPolicy: terms.deletionPolicy }),
      },
      ...('group' in attributes && attributes.group !== undefined ? { container: toId(attributes.group) } : {}),
    },
    condition: { state: 'ready' },
  };
}

/** An adopted object has another name, but nobody compares that. */
function named({ attributes, name }: Desired, { holds: { nameLabel } }: Dialect): Desired['attributes'] {
  if (nameLabel === undefined || !('labels' in attributes)) return attributes;
  return { ...attributes, labels: { [nameLabel]: name, ...attributes.labels } };
}

const settled = (desired: Desired, { additive }: Wanted, { holds, rules }: Dialect): Settled => {
  const { address, kind, terms, attributes } = desired;
  const isAdopted = terms.claim?.adopt !== undefined;
  const network = 'network' in attributes ? attributes.network : '';
  const isGroup = kind === 'group' && rules.contentName !== undefined;
  return {
    address,
    kind,
    lastWriteAt: 0,
    terms: {
      deletionPolicy: terms.deletionPolicy,
      protect: terms.protect,
      storeOnly: isAdopted && isClaimedInStore(desired, holds.fixedMarks),
      ...(isAdopted ? { adopted: true } : {}),
      ...(isAdopted && isGroup && !additive.has(network) ? { authoritative: true } : {}),
    },
  };
};

const applied = ({ attributes, documents }: Desired) => ({
  attributes,
  generation: 1,
  documents: documents.map(({ address }) => address),
});
