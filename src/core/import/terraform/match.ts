import type { Observed } from '../../observed.ts';
import type { CloudId } from '../../resource.ts';
import { compareText } from '../../text.ts';
import { type ImportScope, stands } from '../scope-import.ts';
import { type GivenName, givenName } from './addresses.ts';
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
  const standing = scope.objects.map(({ observed }) => observed).filter(stands);
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

/** The NSG in its id, or the group that holds it. The group's Ref is no id once it is ours. */
function containerOf({ id, signs }: Observed, plain: ScopeIndex['plain']): string {
  const [nsg = '', rule] = plain(id).split('/securityrules/');
  return rule === undefined ? plain(signs.container ?? '') : nsg;
}

/** `own`: absent where it stands for rules of a container only. */
type Found =
  | { readonly own?: Observed; readonly rules: readonly Observed[] }
  | { readonly id?: string; readonly reason: string };

function find({ instance, type }: KnownInstance, indexes: readonly ScopeIndex[]): Found {
  const { attributes, isDeposed } = instance;
  const own = type.ids.map((name) => attributes[name]).find((id) => id !== undefined);
  const id = own ?? (type.container === undefined ? undefined : attributes[type.container]);
  const { cloud, kind } = type;
  if (id === undefined || !isCloudId(id, { cloud, kind: own === undefined ? 'group' : kind }))
    return { reason: 'The state has no id for it that a cloud gives.' };
  if (isDeposed)
    return { id, reason: 'Another object took its place, and Terraform deletes it: run terraform apply first.' };
  const there = indexes.filter(({ scope }) => scope.dialect.cloud === cloud);
  const found = there.map((one) => (own === undefined ? rulesIn(id, one) : objectIn(own, type, one)));
  return found.find((one) => one !== undefined) ?? { id, reason: reasonFor(instance, type, there) };
}

function objectIn(id: string, { kind }: ResourceType, { plain, byId, rules }: ScopeIndex): Found | undefined {
  const own = byId.get(plain(id));
  if (own?.kind !== kind) return undefined;
  return { own, rules: kind === 'group' ? (rules.get(plain(own.id)) ?? []) : [] };
}

function rulesIn(container: string, { plain, rules: all }: ScopeIndex): Found | undefined {
  const rules = all.get(plain(container));
  return rules === undefined ? undefined : { rules };
}

/** Not listed is not gone: the account and the gaps are looked at first. */
function reasonFor(instance: StateInstance, { cloud, kind }: ResourceType, there: readonly ScopeIndex[]): string {
  if (there.length === 0) return `The specs have no target of ${cloud}.`;
  const place = placeOf(instance, cloud);
  const isPlace = ({ scope }: ScopeIndex): boolean =>
    scope.targets.some(({ place: { account, region } }) => {
      const isAccount = place.account === undefined || place.account.toLowerCase() === account.toLowerCase();
      return isAccount && (place.region === undefined || place.region === region);
    });
  const here = there.filter(isPlace);
  if (here.length === 0)
    return `No target of the specs is for ${[place.account, place.region].filter((part) => part !== undefined).join(' ')}.`;
  if (here.some(({ scope }) => scope.gaps.has(kind))) return `The kind ${kind} was not listed completely.`;
  const where = place.account === undefined ? 'The accounts of the targets do' : `The account ${place.account} does`;
  return `${where} not hold it: the state is out of date. Refresh it with terraform apply -refresh-only.`;
}

interface StatePlace {
  readonly account?: string;
  readonly region?: string;
}

/** The place that ids and ARNs name; an emulator's ARN has no account. */
function placeOf({ attributes }: StateInstance, cloud: ResourceType['cloud']): StatePlace {
  const { arn = '', region, self_link: link = '', id = '' } = attributes;
  if (cloud === 'aws') {
    const [, , , inArn = '', account = ''] = arn.split(':');
    const known = region ?? inArn;
    return {
      ...(/^\d{12}$/.test(account) ? { account } : {}),
      ...(/^[a-z]{2}[a-z-]*-\d$/.test(known) ? { region: known } : {}),
    };
  }
  const pattern = cloud === 'gcp' ? /projects\/([\w.:-]+)\// : /^\/subscriptions\/([\w-]+)\//i;
  const account = pattern.exec(link)?.[1] ?? pattern.exec(id)?.[1];
  return account === undefined ? {} : { account };
}
