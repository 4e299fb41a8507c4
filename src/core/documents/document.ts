import type { z } from 'zod';
import { estateSchema } from './estate.ts';
import type { DeepReadonly } from './fields.ts';
import { firewallRuleSchema } from './firewall-rule.ts';
import { groupSchema } from './group.ts';
import { instanceSchema } from './instance.ts';
import { networkSchema } from './network.ts';
import { policySchema } from './policy.ts';
import { pricesSchema } from './prices.ts';
import { targetSchema } from './target.ts';

/** A checked document: names canonical, defaults filled in, unowned fields absent when left out. */
export type Document =
  | EstateDoc
  | TargetDoc
  | PolicyDoc
  | PricesDoc
  | NetworkDoc
  | GroupDoc
  | FirewallRuleDoc
  | InstanceDoc;

export type EstateDoc = DeepReadonly<z.output<typeof estateSchema>>;
export type TargetDoc = DeepReadonly<z.output<typeof targetSchema>>;
export type PolicyDoc = DeepReadonly<z.output<typeof policySchema>>;
export type PricesDoc = DeepReadonly<z.output<typeof pricesSchema>>;
export type NetworkDoc = DeepReadonly<z.output<typeof networkSchema>>;
export type GroupDoc = DeepReadonly<z.output<typeof groupSchema>>;
export type FirewallRuleDoc = DeepReadonly<z.output<typeof firewallRuleSchema>>;
export type InstanceDoc = DeepReadonly<z.output<typeof instanceSchema>>;

/** The kinds of documents. Adding one: its schema, its type in `document`, a line here, and where this no longer compiles. */
export const schemas = {
  Estate: estateSchema,
  Target: targetSchema,
  Network: networkSchema,
  Group: groupSchema,
  FirewallRule: firewallRuleSchema,
  Instance: instanceSchema,
  Policy: policySchema,
  Prices: pricesSchema,
} as const;

/** The name of a document among others of its kind: groups are named in their network. */
export const ownName = ({ kind, metadata, spec }: Document): string =>
  kind === 'Group' ? `${spec.network}.${metadata.name}` : metadata.name;

/** A document as people name it: `Instance web`. */
export const documentTitle = ({ kind, name }: { readonly kind: string; readonly name: string }): string =>
  `${kind} ${name}`;

export const titleOf = (document: Document): string => documentTitle({ kind: document.kind, name: ownName(document) });

type Spec = InstanceDoc['spec'];
type Needed = 'subnet' | 'size';

/** An instance as one target gets it. */
export type InstanceOn = Omit<Spec, Needed | 'on'> & Readonly<Record<Needed, string>>;

/**
 * The document's fields with those of `on` for this target. `disk`, `access` and `settings` are owned per key and merge so, lists
 * are replaced. Undefined where subnet or size is said in neither; `validate` has refused that.
 */
export function instanceOn({ spec }: InstanceDoc, target: string): InstanceOn | undefined {
  const own = Object.hasOwn(spec.on, target) ? spec.on[target] : undefined;
  const { on: _, disk, access, settings, ...rest } = spec;
  const merged = {
    ...rest,
    ...stated(own ?? {}),
    ...(disk || own?.disk ? { disk: { ...disk, ...stated(own?.disk ?? {}) } } : {}),
    ...(settings || own?.settings ? { settings: { ...settings, ...stated(own?.settings ?? {}) } } : {}),
    ...(access || own?.access ? { access: { ...access, ...stated(own?.access ?? {}) } } : {}),
  };
  const { subnet, size } = merged;
  return subnet && size ? { ...merged, subnet, size } : undefined;
}

/** Without keys that are present and undefined: an absent key is unowned. */
export function stated<T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  // why: what is left has no undefined value, which the type of fromEntries cannot say.
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
}

type Provider = TargetDoc['spec']['provider'];

/** The limits of each cloud for a machine's first script, before base64. */
const LIMITS: Readonly<Record<Exclude<Provider, 'memory'>, { readonly bytes: number; readonly source: string }>> = {
  aws: { bytes: 16_384, source: 'https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/user-data.html' },
  gcp: { bytes: 262_144, source: 'https://cloud.google.com/compute/docs/metadata/setting-custom-metadata' },
  azure: { bytes: 65_535, source: 'https://learn.microsoft.com/azure/virtual-machines/custom-data' },
};

interface UserDataUse {
  readonly target: string;
  readonly path: readonly PropertyKey[];
  readonly file: string;
  /** True where a login is created as well. */
  readonly login: boolean;
}

/** The targets that boot with the document's own user data, and those that have one of their own. */
export function userDataFiles({ spec }: InstanceDoc): readonly UserDataUse[] {
  return spec.targets.flatMap((target) => {
    const own = Object.hasOwn(spec.on, target) ? spec.on[target] : undefined;
    const path = own?.userData ? ['spec', 'on', target, 'userData', 'file'] : ['spec', 'userData', 'file'];
    const file = (own?.userData ?? spec.userData)?.file;
    const login = (own?.access?.user ?? spec.access?.user) !== undefined;
    return file === undefined ? [] : [{ target, path, file, login }];
  });
}

interface Script {
  readonly bytes: number;
  readonly isText: boolean;
  readonly login: boolean;
}

/**
 * The reason that a cloud would refuse this; undefined where it would not. Scripts travel as text, and on Google Cloud stay
 * text (a metadata value is a string), so bytes that are no UTF-8 would arrive as others. On AWS a login is user data too, and
 * the two then go as the base64 parts of one message, four bytes for three.
 */
export function userDataRefused({ bytes, isText, login }: Script, provider: Provider): string | undefined {
  if (!isText) return 'it is not UTF-8 text';
  if (provider === 'memory') return undefined;
  const { bytes: most, source } = LIMITS[provider];
  const beside = provider === 'aws' && login;
  const sent = beside ? 4 * Math.ceil(bytes / 3) : bytes;
  if (sent <= most) return undefined;
  const size = beside ? `${bytes} bytes, ${sent} as it is sent beside a login` : `${bytes} bytes`;
  return `it has ${size}, and ${provider} takes at most ${most} (${source})`;
}
