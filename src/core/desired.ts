import type { Criticality } from './criticality.ts';
import type { Address, Attributes, CloudId, Kind } from './resource.ts';

/** One resource as asked for, normalised. Plain data. */
export interface Desired<K extends Kind = Kind> {
  readonly kind: K;
  readonly address: Address;
  /** The object's name on the cloud when we create it. */
  readonly name: string;
  readonly attributes: Attributes[K];
  readonly terms: Terms;
  /** The documents that want it; atoms may have several. Never empty. */
  readonly documents: readonly DocumentRef[];
}

/** A document in the spec tree. `address` is the document's own: `aws/1111/eu-west-1/firewall-rule/core.web-https`. */
export interface DocumentRef {
  readonly address: Address;
  readonly file: string;
  readonly line: number;
  readonly owner?: string;
}

/** The terms of a resource, already combined with the active guards (the stricter of both). */
export interface Terms {
  readonly mode: Mode;
  readonly protect: boolean;
  readonly deletionPolicy: DeletionPolicy;
  /** Absent: normal. */
  readonly criticality?: Criticality;
  readonly claim?: { readonly adopt?: CloudId; readonly was?: readonly Address[] };
  readonly ignore?: readonly string[];
  readonly presence?: Presence;
  /** Of an adopted group whose rules are all of documents: the planner says so, see plan/adopted-groups.ts. */
  readonly authoritative?: true;
  /** Of a group or machine whose document states its name, where the cloud fixes names: its object must bear it. */
  readonly named?: true;
  /** Of a machine: how long it must have been ready before it counts, where its specs say so; see engine/launch-health.ts. */
  readonly minReadyMs?: number;
  /** Of an adopted machine: the reason that its document cannot launch another one. No plan creates or replaces it then. */
  readonly unlaunchable?: string;
  /** Of machines: how one is replaced, where its document says so; otherwise as its cloud's dialect has it. */
  readonly replace?: ReplaceStrategy;
  /** Of a machine: its deletion stops it first, for its grace. */
  readonly beforeDelete?: BeforeDelete;
}

export type BeforeDelete = 'stop';

/** `surge`: the new machine is ready before the old one ends. `recreate`: the old one ends first. */
export type ReplaceStrategy = 'surge' | 'recreate';

export type Mode = 'observe' | 'plan' | 'enforce';
export type DeletionPolicy = 'retain' | 'delete';

/**
 * The presence of an atom. `stated`: a document asks for it. `implied`: the cloud creates it with its container, so we create
 * it only where the container exists without it. `tolerated`: never created, never drift.
 */
export type Presence = 'stated' | 'implied' | 'tolerated';

const strictness: Readonly<Record<Mode, number>> = { observe: 0, plan: 1, enforce: 2 };

/** Strictest first. */
export const byStrictness = (a: Mode, b: Mode): number => strictness[a] - strictness[b];

/** The strictest of those that are set; `plan` where none is. */
export const strictest = (modes: readonly (Mode | undefined)[]): Mode =>
  modes.filter((mode) => mode !== undefined).toSorted(byStrictness)[0] ?? 'plan';

/** Stated by a rule's document, not by a network's `default`. */
export const isStatedRule = (one: Desired): one is Desired<'firewall-rule'> =>
  one.kind === 'firewall-rule' && one.documents.some(({ address }) => address.includes('/firewall-rule/'));

/** A rule that stands for one existing object: it keeps its name, and exactly the priority of its document. */
export const isAdoptedRule = ({ kind, terms }: Pick<Desired, 'kind' | 'terms'>): boolean =>
  kind === 'firewall-rule' && terms.claim?.adopt !== undefined;

/**
 * True where the store alone says that it is ours: its kind bears no mark that can be written later (`fixedMarks`), or the mark would
 * be text in a description that people wrote, as of an adopted rule.
 */
export const isClaimedInStore = (desired: Pick<Desired, 'kind' | 'terms'>, fixedMarks: readonly Kind[]): boolean =>
  fixedMarks.includes(desired.kind) || isAdoptedRule(desired);

/** The settings that it states; empty where it states none. */
export const settingsOf = ({ attributes }: Pick<Desired, 'attributes'>): object =>
  ('settings' in attributes ? attributes.settings : undefined) ?? {};
