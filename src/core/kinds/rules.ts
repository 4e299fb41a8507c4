import { overlapsCidr, parseCidr } from '../cidr.ts';
import type { DeletionPolicy } from '../desired.ts';
import type { FieldChange } from '../diff.ts';
import type { Condition } from '../observed.ts';
import type { FieldCategory } from '../remediation.ts';
import type { Attributes, Kind, Ref } from '../resource.ts';

/**
 * The effect of a changed field. `replace`: no cloud can do it in place; `blocked`: nor do we replace this kind;
 * `unseen`: spoken at creation only, never compared.
 */
export type ChangeEffect = 'in-place' | 'stops' | 'replace' | 'blocked' | 'unseen';

/** The planner's rules for a kind. Data, so that a new kind needs no new planner code. */
export interface KindRules<K extends Kind = Kind> {
  /** Parents before children; only for ties, references decide first. */
  readonly tier: number;
  readonly deletionPolicy: DeletionPolicy;
  /** By field or by its dotted beginning; the longest match counts. Every field is named: an unnamed one is `blocked`. */
  readonly effects: Readonly<Record<string, ChangeEffect | ((change: FieldChange) => ChangeEffect)>>;
  /** The category of each of these fields, likewise. `ours`: no colleague's matter, as our mark: it is healed always. */
  readonly categories: Readonly<Record<string, FieldCategory | 'ours'>>;
  /** Fields (or maps, by their beginning) that are taken away again when a spec no longer states them. */
  readonly removable: readonly string[];
  /** The same resource with each Ref passed through `to`. */
  mapRefs(attributes: Attributes[K], to: (ref: Ref) => Ref): Attributes[K];
  /** True where the two cannot exist side by side: a unique name, an overlapping block. Both have resolved Refs. */
  clash(wanted: Named<K>, present: Named<K>): boolean;
}

export interface Named<K extends Kind = Kind> {
  readonly name: string;
  readonly attributes: Attributes[K];
  /** Of what is observed. */
  readonly condition?: Pick<Condition, 'furtherBlocks'>;
}

/** Groups that are objects are passed through `to`; tags are only names, and addresses name no group. Sorted. */
export const mapGroups = (groups: readonly Ref[], to: (ref: Ref) => Ref): readonly Ref[] =>
  groups.map((group) => (isTag(group) || isByAddress(group) ? group : to(group))).sort();

/** True where a rule names its machines by address or account, and not by group. */
export const isByAddress = (target: string): boolean =>
  /^(?:range|service-account|service-tag):/.test(target) || parseCidr(target) !== undefined;

/** https://cloud.google.com/iam/docs/service-account-types */
export const serviceAccount = /^[a-z0-9.-]+@[a-z0-9.:-]+\.gserviceaccount\.com$/;

/** A bare name is a service account of the project: https://cloud.google.com/iam/docs/service-accounts-create */
export const serviceAccountAddress = (text: string, project: string): string =>
  text.includes('@') ? text : `${text}@${project}.iam.gserviceaccount.com`;

/** A service account of Google Cloud that a rule names like a group: its members are the machines that run as it. */
export const isAccount = (group: string): boolean => group.startsWith('service-account:');

export const isTag = (group: string): boolean => group.startsWith('tag:');

const globalV6 = parseCidr('2000::/3');

/**
 * Registries give nobody a block wider than /8 of IPv4 (https://www.iana.org/assignments/ipv4-address-space) or /12 of IPv6
 * (https://www.iana.org/assignments/ipv6-unicast-address-assignments): a wider one is half of the world, if not all of it.
 */
export function isAnyone(peer: string): boolean {
  if (/^service-tag:internet$/i.test(peer)) return true;
  const block = parseCidr(peer);
  if (block === undefined || globalV6 === undefined) return false;
  return block.family === 4 ? block.prefix < 8 : block.prefix < 12 && overlapsCidr(block, globalV6);
}
