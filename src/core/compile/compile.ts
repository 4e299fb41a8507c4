import type { ChangeCalendar } from '../change-windows.ts';
import { priceTable } from '../cost/cost.ts';
import { type Cadence, criticalityOf } from '../criticality.ts';
import { type Desired, type Mode, strictest, type Terms } from '../desired.ts';
import { cadenceOf, type TargetDocuments } from '../documents/cadence.ts';
import {
  type Document,
  type EstateDoc,
  type FirewallRuleDoc,
  type GroupDoc,
  type InstanceDoc,
  type NetworkDoc,
  ownName,
  type TargetDoc,
} from '../documents/document.ts';
import { holds, type ResourceDoc } from '../documents/effective-terms.ts';
import { ownGroups } from '../documents/firewall-rule.ts';
import { ofKind } from '../documents/spec-set.ts';
import type { PlacedRegion } from '../documents/target.ts';
import type { Located } from '../documents/tree.ts';
import { usualGrace } from '../grace.ts';
import type { Guards, Inherited } from '../guards.ts';
import { kindNames } from '../kinds/kinds.ts';
import type { Allowed, Wanted } from '../plan/plan-input.ts';
import { enforcedIn, type PolicyRules } from '../policy/rules.ts';
import {
  type RemediationGuards,
  type Remediations,
  recordOf,
  remediationsBy,
  stricterRemediations,
} from '../remediation.ts';
import { type Address, type Cloud, documentOfReplica, type Kind, type ScopeKey } from '../resource.ts';
import type { Rollout } from '../rollout.ts';
import { finish, flatMapInSteps, type Steps } from '../steps.ts';
import type { Dialect } from './dialect.ts';
import { compileInstances, type Hashes, instanceAddress, scriptNamedIn, specAt } from './instance.ts';
import { compileGroups, compileNetwork, groupCriticality, groupMode } from './network.ts';
import { compileDefaults, compileRule, ruleAddress, uniteAtoms } from './rule.ts';
import { addressAt, criticalityAt, modeAt, remediationSource, type Site, siteOf } from './site.ts';

export interface CompileInput {
  readonly estate: EstateDoc;
  /** Checked together without an error. */
  readonly documents: readonly Located<Document>[];
  /** Those whose lifetime is over: they want nothing, and their terms go on to govern. Absent: none. */
  readonly ended?: readonly Located<Document>[];
  readonly dialects: Readonly<Partial<Record<Cloud, Dialect>>>;
  readonly hashes: Hashes;
  /** 2027-01-31 */
  readonly today: string;
}

/** The specs' desired state of one scope. `targets` has more than one where several name the same place. */
export interface CompiledScope {
  readonly scope: ScopeKey;
  readonly targets: readonly TargetDoc[];
  /** Of its targets, in their order. */
  readonly regions: readonly PlacedRegion[];
  /** Inherited by its documents; absent: all drift is healed. */
  readonly remediation?: Remediations;
  readonly cadence: Cadence;
  readonly wanted: Wanted;
  /** The boot data of instances, by their documents' addresses: read at apply only. */
  readonly launches: ReadonlyMap<Address, LaunchRef>;
}

export interface LaunchRef {
  /** The spec file that names the script. */
  readonly namedIn: string;
  readonly spec: Pick<InstanceDoc['spec'], 'userData' | 'access'>;
}

export interface Compiled {
  readonly scopes: readonly CompiledScope[];
  readonly guards: Guards;
}

/**
 * Documents to resources, parts and atoms, scope by scope. Pure; sorted by scope, and within it by kind and document.
 *
 *   document       | becomes
 *   ---------------+------------------------------------------------------------------------
 *   Network        | a network and its subnets; the groups that anybody names in it; default atoms
 *   Group          | its group, over what the network says of it; on Google Cloud the tag of its group
 *   FirewallRule   | atoms, as its cloud holds them
 *   Instance       | one instance per replica
 */
export const compile = (input: CompileInput): Compiled => finish(compileInSteps(input));

/** The same, in steps. */
export function* compileInSteps(input: CompileInput): Steps<Compiled> {
  const sites = ofKind(input.documents, 'Target').flatMap((target) => {
    const dialect = input.dialects[target.value.spec.provider];
    return dialect === undefined ? [] : [siteOf(target, dialect, input)];
  });
  const byScope = Map.groupBy(sites, ({ dialect, place }) => dialect.scope(place));
  const scopes: CompiledScope[] = [];
  for (const scope of [...byScope.keys()].sort())
    scopes.push(yield* compileScope(scope, byScope.get(scope) ?? [], input));
  yield;
  return { scopes, guards: guardsOf(scopes, input) };
}

function* compileScope(
  scope: ScopeKey,
  sites: readonly Site[],
  { documents, ended, hashes }: CompileInput,
): Steps<CompiledScope> {
  const parts: SiteParts[] = [];
  const said: TargetDocuments[] = [];
  for (const site of sites) {
    const here = documentsAt(documents, site);
    said.push({ target: site.located, documents: Object.values(here).flat() });
    parts.push(yield* compileSite(here, site, hashes));
  }
  const desired = parts.flatMap((part) => part.desired);
  const allowed = uniteAllowed(parts.flatMap((part) => part.documents));
  const cadence = cadenceOf(said);
  return {
    scope,
    targets: sites.map(({ target }) => target),
    regions: sites.map(({ target, regionAt }) => ({ region: target.spec.region, at: regionAt })),
    ...stating(sites.map(({ inheritedRemediation }) => inheritedRemediation).reduce(stricterRemediations)),
    cadence,
    wanted: {
      desired: uniteDesired(desired),
      documents: allowed,
      ...endedIn(allowed, sites, { documents, ended }),
      additive: new Set(parts.flatMap((part) => part.additive)),
      mode: strictest(sites.map((site) => modeAt(site, undefined))),
      ...criticalityOf(sites.map(({ target }) => target.spec)),
      targets: sites.map(({ target }) => target.metadata.name),
      ...ignoredOf(sites),
      ...quotaOf(sites),
      ...rolloutOf(sites.find(({ target }) => target.spec.rollout !== undefined)?.target.spec),
    },
    launches: new Map(parts.flatMap((part) => part.launches)),
  };
}

/** The terms that ended documents have beside all others: a group heeds its network. */
function endedIn(
  allowed: ReadonlyMap<Address, Allowed>,
  sites: readonly Site[],
  { documents, ended }: Pick<CompileInput, 'documents' | 'ended'>,
): Pick<Wanted, 'ended'> {
  if (ended === undefined) return {};
  const all = sites.flatMap((site) => allowedAt(documentsAt([...documents, ...ended], site), site));
  return { ended: uniteAllowed(all.filter(([address]) => !allowed.has(address))) };
}

/** An entry holds for the whole scope of its target. */
function ignoredOf(sites: readonly Site[]): Pick<Wanted, 'ignoreUnmanaged'> {
  const entries = sites.flatMap(({ target, today }) =>
    (target.spec.ignoreUnmanaged ?? []).filter((entry) => holds(entry, today)),
  );
  return entries.length === 0 ? {} : { ignoreUnmanaged: entries };
}

/** Targets of one scope are in one account: where they differ the smaller counts. */
function quotaOf(sites: readonly Site[]): Pick<Wanted, 'rulesPerContainer'> {
  const said = sites.flatMap(({ target }) => target.spec.quotas?.rulesPerGroup ?? []);
  return said.length === 0 ? {} : { rulesPerContainer: Math.min(...said) };
}

interface SiteDocuments {
  readonly networks: readonly Located<NetworkDoc>[];
  readonly groups: readonly Located<GroupDoc>[];
  readonly rules: readonly Located<FirewallRuleDoc>[];
  readonly instances: readonly Located<InstanceDoc>[];
}

function documentsAt(documents: readonly Located<Document>[], { target }: Site): SiteDocuments {
  const here = target.metadata.name;
  const networks = ofKind(documents, 'Network').filter(({ value }) => value.spec.targets.includes(here));
  const names = new Set(networks.map(({ value }) => value.metadata.name));
  return {
    networks,
    groups: ofKind(documents, 'Group').filter(
      ({ value: { spec } }) => names.has(spec.network) && (spec.targets ?? [here]).includes(here),
    ),
    rules: ofKind(documents, 'FirewallRule').filter(({ value: { spec } }) =>
      spec.network === undefined
        ? spec.targets?.includes(here) === true
        : names.has(spec.network) && (spec.targets ?? [here]).includes(here),
    ),
    instances: ofKind(documents, 'Instance').filter(({ value: { spec } }) => spec.targets.includes(here)),
  };
}

interface SiteParts {
  readonly desired: readonly Desired[];
  readonly documents: readonly (readonly [Address, Allowed])[];
  readonly additive: readonly Address[];
  readonly launches: readonly (readonly [Address, LaunchRef])[];
}

function* compileSite(documents: SiteDocuments, site: Site, hashes: Hashes): Steps<SiteParts> {
  const { networks, rules, instances } = documents;
  const withoutAll = new Set(
    networks.filter(({ value }) => !value.spec.allGroup).map(({ value }) => value.metadata.name),
  );
  const grounds = networks.map((document) => {
    const groups = groupsIn(document, documents, site);
    return {
      objects: [...compileNetwork(document, site), ...groups],
      defaults: compileDefaults(
        document,
        groups.map(({ address }) => address),
        site,
      ),
    };
  });
  const atoms = uniteAtoms([
    ...(yield* flatMapInSteps(rules, (document) => compileRule(document, site))),
    ...grounds.flatMap(({ defaults }) => defaults),
  ]);
  yield;
  return {
    desired: [
      ...grounds.flatMap(({ objects }) => objects),
      ...atoms,
      ...(yield* flatMapInSteps(instances, (document) =>
        compileInstances(document, site, { hashes, inAll: !withoutAll.has(document.value.spec.network) }),
      )),
    ],
    documents: allowedAt(documents, site),
    additive: networks.filter(({ value }) => isAdditive(value)).map((network) => networkAddress(network, site)),
    launches: instances.map(
      (document) =>
        [
          instanceAddress(document.value.metadata.name, site),
          { namedIn: scriptNamedIn(document, site), spec: specAt(document.value, site) },
        ] as const,
    ),
  };
}

function allowedAt(documents: SiteDocuments, site: Site): SiteParts['documents'] {
  const { networks, rules, instances } = documents;
  return [
    ...networks.map((network) => [networkAddress(network, site), allowedBy(network, site)] as const),
    ...allowedGroups(documents, site),
    ...rules.map((one) => [ruleAddress(one.value, site), allowedBy(one, site)] as const),
    ...instances.map((one) => [instanceAddress(one.value.metadata.name, site), allowedBy(one, site)] as const),
  ];
}

const networkAddress = ({ value }: Located<NetworkDoc>, site: Site): Address =>
  addressAt(site, 'network', value.metadata.name);

/** None where groups are only tags. */
function groupsIn(network: Located<NetworkDoc>, documents: SiteDocuments, site: Site): readonly Desired<'group'>[] {
  if (site.dialect.holds.groups !== 'objects') return [];
  const { name } = network.value.metadata;
  const declared = documents.groups.filter(({ value }) => value.spec.network === name);
  return compileGroups(network, { named: groupsNamed(name, documents, site), declared }, site);
}

/** A group heeds its network too, so its own document is never laxer, and has the network's owner if it names none. */
function allowedGroups({ networks, groups }: SiteDocuments, site: Site): readonly (readonly [Address, Allowed])[] {
  if (site.dialect.holds.groups !== 'objects') return [];
  return groups.flatMap((document) => {
    const { value } = document;
    const network = networks.find((one) => one.value.metadata.name === value.spec.network)?.value;
    if (network === undefined) return [];
    const { owner } = network.metadata;
    const { criticality: _, ...own } = allowedBy(document, site);
    const allowed = {
      ...(owner === undefined ? {} : { owner }),
      ...own,
      ...groupCriticality(value, network, site),
      mode: groupMode(value, network, site),
      protect: value.spec.protect || network.spec.protect,
    };
    return [[addressAt(site, 'group', ownName(value)), allowed] as const];
  });
}

function allowedBy(located: Located<GroupDoc | NetworkDoc | FirewallRuleDoc | InstanceDoc>, site: Site): Allowed {
  const document = located.value;
  const spec = document.kind === 'Instance' ? specAt(document, site) : document.spec;
  return {
    mode: modeAt(site, spec.mode),
    ...(spec.mode === undefined ? {} : { own: spec.mode }),
    protect: spec.protect,
    ...criticalityAt(site, document.spec.criticality),
    ...(document.metadata.owner === undefined ? {} : { owner: document.metadata.owner }),
    targets: [site.target.metadata.name],
    ...stating(remediationsAt(located, site)),
    ...('rollout' in spec ? rolloutOf(spec) : {}),
  };
}

const remediationsAt = (document: Located<ResourceDoc>, site: Site): Remediations =>
  document.value.spec.remediation === undefined
    ? site.inheritedRemediation
    : remediationsBy([remediationSource(document), ...site.remediation], kindNames);

const stating = (remediation: Remediations): Pick<Allowed, 'remediation'> =>
  Object.keys(remediation).length === 0 ? {} : { remediation };

/** Records of documents hold only their differences from the scope: an estate with one mode for all has few records. */
function remediationIn(scopes: readonly CompiledScope[]): { readonly remediation?: RemediationGuards } {
  const documents = scopes.flatMap(({ remediation = {}, wanted }) =>
    [...wanted.documents].flatMap(([address, { remediation: own = {} }]) => {
      const [theirs, all] = [recordOf(own), recordOf(remediation)];
      return JSON.stringify(theirs) === JSON.stringify(all) ? [] : [[address, theirs] as const];
    }),
  );
  const all = scopes.map(({ scope, remediation = {} }) => [scope, recordOf(remediation)] as const);
  if (documents.length === 0 && all.every(([, record]) => Object.keys(record).length === 0)) return {};
  return { remediation: { scopes: Object.fromEntries(all), documents: Object.fromEntries(documents) } };
}

/** Targets of one scope say the same: the checks of specs see to that. */
function rolloutOf(spec: Pick<TargetDoc['spec'], 'rollout'> | undefined): { readonly rollout?: Rollout } {
  if (spec?.rollout === undefined) return {};
  const { canary, then = [] } = spec.rollout;
  return { rollout: [...(canary === undefined ? [] : [canary]), ...then] };
}

/** Adoption writes `additive`: what colleagues put in before we came stays until somebody says otherwise. */
const isAdditive = ({ spec }: NetworkDoc): boolean => spec.rules === 'additive';

function groupsNamed(network: string, { networks, rules, instances }: SiteDocuments, site: Site): ReadonlySet<string> {
  const names = [
    ...networks
      .filter(({ value }) => value.metadata.name === network)
      .flatMap(({ value }) => value.spec.groups.filter(({ adopt }) => adopt !== undefined).map(({ name }) => name)),
    ...rules
      .filter(({ value }) => value.spec.network === network)
      .flatMap(({ value: { spec } }) => [...(ownGroups(spec) ?? []), ...spec.peers.groups]),
    ...instances
      .filter(({ value }) => value.spec.network === network)
      .flatMap(({ value }) => specAt(value, site).groups ?? []),
  ];
  return new Set(names.filter((name) => name !== 'all').sort());
}

function guardsOf(
  scopes: readonly CompiledScope[],
  { estate, documents }: Pick<CompileInput, 'estate' | 'documents'>,
): Guards {
  const enforced = enforcedIn(documents).map((policy) => placed(policy, scopes));
  const all = scopes.flatMap(({ wanted }) => wanted.desired);
  const governed = all.flatMap((one) => governing(one).map((address) => ({ address, terms: one.terms })));
  const modes = all.flatMap((one) => ownDocuments(one).map((address) => [address, one.terms.mode] as const));
  const renamed = new Set(
    all.flatMap(({ kind, terms }) => (terms.claim?.was ?? []).map((was) => documentAddress(kind, was))),
  );
  return {
    limits: estate.spec.limits,
    ...pricesIn(documents),
    modes: Object.fromEntries(modes),
    ...endedModes(scopes),
    policies: Object.fromEntries(governed.map(({ address, terms }) => [address, terms.deletionPolicy])),
    protected: [...new Set(governed.filter(({ terms }) => terms.protect).map(({ address }) => address))].sort(),
    inherited: inheritedIn(scopes, estate),
    ...(renamed.size === 0 ? {} : { renamed: [...renamed].sort() }),
    ...(enforced.length === 0 ? {} : { enforced }),
    owners: Object.fromEntries(
      scopes.flatMap(({ wanted: { documents, ended = [] } }) =>
        [...ended, ...documents].flatMap(([address, { owner }]) => (owner === undefined ? [] : [[address, owner]])),
      ),
    ),
    ...calendarIn(scopes, estate),
    ...remediationIn(scopes),
    ...(estate.spec.deletionGracePeriod === undefined
      ? {}
      : { grace: { ...usualGrace, ...estate.spec.deletionGracePeriod } }),
  };
}

function endedModes(scopes: readonly CompiledScope[]): Pick<Guards, 'ended'> {
  const modes = scopes.flatMap(({ wanted }) => [...(wanted.ended ?? [])].map(([address, { mode }]) => [address, mode]));
  return modes.length === 0 ? {} : { ended: Object.fromEntries(modes) };
}

const documentAddress = (kind: Kind, address: Address): Address =>
  kind === 'instance' ? documentOfReplica(address) : address;

function pricesIn(documents: CompileInput['documents']): Pick<Guards, 'prices'> {
  const prices = priceTable(ofKind(documents, 'Prices').map(({ value }) => value));
  return prices === undefined ? {} : { prices };
}

/** The windows and freezes of the estate, and those of its targets. */
function calendarIn(scopes: readonly CompiledScope[], { spec }: EstateDoc): { readonly calendar?: ChangeCalendar } {
  const targets = scopes.flatMap((one) => one.targets);
  const placed = <T extends object>(
    own: readonly T[] | undefined,
    of: (target: TargetDoc) => readonly T[] | undefined,
  ) => [
    ...(own ?? []),
    ...targets.flatMap((target) => (of(target) ?? []).map((one) => ({ ...one, target: target.metadata.name }))),
  ];
  const windows = placed<ChangeCalendar['windows'][number]>(spec.windows, (target) => target.spec.windows);
  const freezes = placed<ChangeCalendar['freezes'][number]>(spec.freezes, (target) => target.spec.freezes);
  if (windows.length + freezes.length === 0) return {};
  const names = scopes.flatMap(({ scope, targets: here }) =>
    here.map(({ metadata }) => [metadata.name, scope] as const),
  );
  return { calendar: { windows, freezes, scopes: Object.fromEntries(names) } };
}

/** With the scopes of its targets, where it names any. */
const placed = (policy: PolicyRules, scopes: readonly CompiledScope[]): PolicyRules =>
  policy.targets === undefined
    ? policy
    : {
        ...policy,
        scopes: scopes.flatMap(({ scope, wanted }) =>
          wanted.targets.some((target) => policy.targets?.includes(target)) ? [scope] : [],
        ),
      };

function inheritedIn(scopes: readonly CompiledScope[], { spec: { mode } }: EstateDoc): Inherited {
  const said = (targets: CompiledScope['targets']): Mode | null => {
    const set = [mode, ...targets.map(({ spec }) => spec.mode)].filter((one) => one !== undefined);
    return set.length === 0 ? null : strictest(set);
  };
  return {
    ...(mode === undefined ? {} : { estate: mode }),
    scopes: Object.fromEntries(scopes.map(({ scope, targets }) => [scope, said(targets)])),
  };
}

/**
 * The documents whose word on keeping binds a resource: its own. A network's own protection is of itself, its subnets and
 * groups without a document, not of atoms that merely say its default.
 */
export const governing = (one: Desired): readonly Address[] =>
  ownDocuments(one).filter((address) => one.kind !== 'firewall-rule' || address.includes('/firewall-rule/'));

/** For a group with a document only that document: its statements are not of its network. */
function ownDocuments({ kind, address, documents }: Desired): readonly Address[] {
  const all = documents.map((document) => document.address);
  return kind === 'group' && all.includes(address) ? [address] : all;
}

/**
 * Two targets of one scope may speak of one thing (GCP: the network of two regions): it is one, and what either says of it
 * holds. The stricter mode, `protect` and `retain` win; what one of them adopts, or calls by a former name, both do.
 */
export function uniteDesired(desired: readonly Desired[]): readonly Desired[] {
  const byAddress = new Map<Address, Desired>();
  for (const one of desired) {
    const known = byAddress.get(one.address);
    byAddress.set(one.address, known === undefined ? one : { ...known, terms: unitedTerms(known.terms, one.terms) });
  }
  return [...byAddress.values()];
}

/** The same for the permissions of documents. */
export function uniteAllowed(documents: readonly (readonly [Address, Allowed])[]): ReadonlyMap<Address, Allowed> {
  const byAddress = new Map<Address, Allowed>();
  for (const [address, allowed] of documents) {
    const known = byAddress.get(address);
    byAddress.set(address, known === undefined ? allowed : unitedAllowed(known, allowed));
  }
  return byAddress;
}

/** It is one document, so its owner is the same. */
function unitedAllowed(one: Allowed, other: Allowed): Allowed {
  const own = [one.own, other.own].filter((mode) => mode !== undefined);
  const { criticality: _, ...rest } = one;
  return {
    ...rest,
    ...criticalityOf([one, other]),
    mode: strictest([one.mode, other.mode]),
    ...(own.length === 0 ? {} : { own: strictest(own) }),
    protect: one.protect || other.protect,
    targets: [...one.targets, ...other.targets],
    ...stating(stricterRemediations(one.remediation ?? {}, other.remediation ?? {})),
  };
}

function unitedTerms(one: Terms, other: Terms): Terms {
  const adopt = one.claim?.adopt ?? other.claim?.adopt;
  const was = [...new Set([...(one.claim?.was ?? []), ...(other.claim?.was ?? [])])];
  const claim = { ...(adopt === undefined ? {} : { adopt }), ...(was.length === 0 ? {} : { was }) };
  const { criticality: _, ...rest } = one;
  return {
    ...rest,
    ...criticalityOf([one, other]),
    mode: strictest([one.mode, other.mode]),
    protect: one.protect || other.protect,
    deletionPolicy: [one, other].some(({ deletionPolicy }) => deletionPolicy === 'retain') ? 'retain' : 'delete',
    ...(Object.keys(claim).length === 0 ? {} : { claim }),
  };
}
