import type { Place } from '../../compile/dialect.ts';
import type { Observed } from '../../observed.ts';
import type { CloudId } from '../../resource.ts';
import { compareText } from '../../text.ts';
import { byIds, type ImportScope, stands } from '../scope-import.ts';
import { type GivenName, givenName } from './addresses.ts';
import { type StateRules, stateRules } from './aws-rules.ts';
import { isCloudId, type ResourceType, resourceTypeOf } from './resource-types.ts';
import type { StateInstance } from './state.ts';

/** The instances of a state beside the objects of the observed scopes. */
export interface StateMatch {
  readonly held: readonly HeldInstance[];
  readonly missing: readonly MissingInstance[];
  /** Types without a kind, each with the number of its instances. Terraform keeps them. */
  readonly others: readonly { readonly type: string; readonly count: number }[];
  /** The objects that the state names. */
  readonly chosen: ReadonlySet<CloudId>;
  /** Names for documents, from the addresses. */
  readonly names: ReadonlyMap<CloudId, GivenName>;
}

/** An instance whose objects exist. */
export interface HeldInstance {
  readonly instance: StateInstance;
  /** All of them need a document before Terraform may forget the instance: a group's rules are among them. */
  readonly objects: readonly Observed[];
}

/** `id`: only where the state has one that has the form of a cloud's id. */
export interface MissingInstance {
  readonly instance: StateInstance;
  readonly id?: string;
  readonly reason: string;
}

/** Finds the object of each instance by its id. Contents are not compared: documents are written from the cloud alone. */
export function matchState(instances: readonly StateInstance[], scopes: readonly ImportScope[]): StateMatch {
  const known: KnownInstance[] = [];
  const others = new Map<string, number>();
  for (const instance of instances) {
    const type = resourceTypeOf(instance.type);
    if (type === undefined) others.set(instance.type, (others.get(instance.type) ?? 0) + 1);
    else known.push({ instance, type });
  }
  const indexes = scopes.map(indexOf);
  const found = known.map((one) => ({ instance: one.instance, found: find(one, indexes) }));
  const held = found.flatMap(({ instance, found: one }) => ('reason' in one ? [] : [{ instance, ...one }]));
  const named = held.flatMap(({ instance, own }) =>
    own === undefined ? [] : [[own.id, givenName(instance)] as const],
  );
  return {
    held: held.map(({ instance, own, rules }) => ({ instance, objects: own === undefined ? rules : [own, ...rules] })),
    missing: found.flatMap(({ instance, found: one }) => ('reason' in one ? [{ instance, ...one }] : [])),
    others: [...others].map(([type, count]) => ({ type, count })).toSorted((a, b) => compareText(a.type, b.type)),
    chosen: new Set(held.flatMap(({ own, rules }) => (own === undefined ? rules.map(({ id }) => id) : [own.id]))),
    // why: the first of two addresses of one object counts
    names: new Map(named.toReversed()),
  };
}

interface KnownInstance {
  readonly instance: StateInstance;
  readonly type: ResourceType;
}

/** The standing objects of a scope by their plain ids, and rules by their containers. */
interface ScopeIndex {
  readonly scope: ImportScope;
  readonly plain: (id: string) => string;
  readonly byId: ReadonlyMap<string, Observed>;
  readonly rules: ReadonlyMap<string, readonly Observed[]>;
}

function indexOf(scope: ImportScope): ScopeIndex {
  const plain = scope.dialect.names.plainId ?? ((id: string) => id);
  const standing = byIds(scope.objects)
    .map(({ observed }) => observed)
    .filter(stands);
  return {
    scope,
    plain,
    byId: new Map(standing.map((one) => [plain(one.id), one])),
    rules: Map.groupBy(
      standing.filter(({ kind }) => kind === 'firewall-rule'),
      (one) => containerOf(one, plain),
    ),
  };
}

/** The NSG in its id, or the group that holds it. */
function containerOf({ id, signs }: Observed, plain: ScopeIndex['plain']): string {
  const [nsg = '', rule] = plain(id).split('/securityrules/');
  return rule === undefined ? plain(signs.container ?? '') : nsg;
}

/** `own`: the object itself. `rules`: of a group, or those that a rule or an NSG stands for. */
type Found =
  | { readonly own?: Observed; readonly rules: readonly Observed[] }
  | { readonly id?: string; readonly reason: string };

function find({ instance, type }: KnownInstance, indexes: readonly ScopeIndex[]): Found {
  const { text } = instance.attributes;
  const id = type.ids.map((name) => text[name]).find((one) => one !== undefined && isCloudId(one, type));
  const rules = type.rules === 'content' ? stateRules(instance.type, instance.attributes) : undefined;
  const seen = id === undefined ? {} : { id };
  const isKnown = type.rules === 'content' ? isCloudId(rules?.group ?? '', aGroup) : id !== undefined;
  if (!isKnown) return { ...seen, reason: 'The state does not say the object that it stands for.' };
  if (instance.isDeposed)
    return { ...seen, reason: 'Another object took its place, and Terraform deletes it: run terraform apply first.' };
  const there = indexes.filter(({ scope }) => scope.dialect.cloud === type.cloud);
  const found = there.map((one) => (rules === undefined ? objectIn(id ?? '', type, one) : rulesIn(rules, one)));
  return found.find((one) => one !== undefined) ?? { ...seen, reason: reasonFor(instance, type, there) };
}

const aGroup = { cloud: 'aws', kind: 'group' } as const;

function objectIn(id: string, type: ResourceType, { plain, byId, rules: all }: ScopeIndex): Found | undefined {
  const rules = all.get(plain(id));
  if (type.rules === 'container') return rules === undefined ? undefined : { rules };
  const own = byId.get(plain(id));
  if (own?.kind !== type.kind) return undefined;
  return { own, rules: type.kind === 'group' ? (rules ?? []) : [] };
}

/** Each of them: a part is no match, as Terraform would still manage the rest. */
function rulesIn({ group, matches }: StateRules, { rules: all }: ScopeIndex): Found | undefined {
  const byContent = new Map(
    (all.get(group) ?? []).flatMap((one) =>
      'match' in one.attributes ? [[contentOf(one.attributes.match), one]] : [],
    ),
  );
  const rules = matches.flatMap((match) => byContent.get(contentOf(match)) ?? []);
  return rules.length === matches.length ? { rules } : undefined;
}

const contentOf = ({ direction, protocol, ports, peers }: StateRules['matches'][number]): string =>
  JSON.stringify([direction, protocol, ports, peers]);

/** Not listed is not gone: the account and the gaps are looked at first. */
function reasonFor(instance: StateInstance, type: ResourceType, there: readonly ScopeIndex[]): string {
  const { cloud, kind } = type;
  if (there.length === 0) return `The specs have no target of ${cloud}.`;
  const place = placeOf(instance, cloud);
  const here = there.filter(({ scope }) => scope.targets.some((target) => isIn(target.place, place)));
  if (here.length === 0)
    return `No target of the specs is for ${[place.account, place.region].filter((part) => part !== undefined).join(' ')}.`;
  if (here.some(({ scope }) => scope.gaps.has(kind))) return `The kind ${kind} was not listed completely.`;
  if (type.rules === 'container') return 'None of its rules was found, and documents say it by its rules only.';
  const isCertain = place.account !== undefined && (cloud === 'gcp' || place.region !== undefined);
  return isCertain
    ? `The account ${place.account} does not hold it: the state is out of date. Refresh it with terraform apply -refresh-only.`
    : 'The accounts of the targets do not hold it. It is in another account or region, or the state is out of date.';
}

interface StatePlace {
  readonly account?: string;
  readonly region?: string;
}

/** A part that the state leaves out matches any. */
const isIn = (target: Place, { account, region }: StatePlace): boolean =>
  (account === undefined || account === target.account.toLowerCase()) &&
  (region === undefined || region === regionText(target.region));

/** Azure writes `West Europe` for `westeurope`. */
const regionText = (text: string): string => text.toLowerCase().replaceAll(' ', '');

/** The place that ids, ARNs and attributes name; an emulator's ARN has no account. */
function placeOf({ attributes: { text } }: StateInstance, cloud: ResourceType['cloud']): StatePlace {
  const { arn = '', region, location, self_link: link = '', id = '' } = text;
  if (cloud === 'aws') {
    const [, , , inArn = '', account = ''] = arn.split(':');
    return placeFrom(/^\d{12}$/.test(account) ? account : undefined, region ?? inArn);
  }
  const pattern = cloud === 'gcp' ? /projects\/([\w.:-]+)\// : /^\/subscriptions\/([\w-]+)\//i;
  return placeFrom(pattern.exec(link)?.[1] ?? pattern.exec(id)?.[1], cloud === 'azure' ? location : undefined);
}

/** A region is a name of letters, digits and dashes; anything else is neither compared nor printed. */
function placeFrom(account: string | undefined, region: string | undefined): StatePlace {
  const name = regionText(region ?? '');
  return {
    ...(account === undefined ? {} : { account: account.toLowerCase() }),
    ...(/^[a-z][a-z0-9-]{3,30}$/.test(name) ? { region: name } : {}),
  };
}
