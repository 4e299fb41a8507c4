import type { Dialect } from '../../src/core/compile/dialect.ts';
import type { Kind } from '../../src/core/resource.ts';

/** The facts about a cloud that a law may use before it is opened. */
export interface Subject {
  readonly dialect: Dialect;
  readonly manners: Manners;
}

/** Differences between clouds that laws must know. */
export interface Manners {
  /** The proof of a resource's owner: its own mark, its container, or its parent. */
  readonly owned: Readonly<Record<Kind, 'mark' | 'container' | 'parent'>>;
  /** Changes that go in one call: equal machines, rules of one container and direction, equal labels of many. */
  readonly together: readonly ('launches' | 'rules' | 'labels')[];
  /** Variants, by name, that it cannot say: its dialect refuses a rule, and it has no such thing otherwise. */
  readonly unsaid: readonly string[];
  /** Edits, by name, that it cannot make in place: refused for good, and nothing changes. */
  readonly refused: readonly string[];
  /** Edits of a rule, by name, that drop a colleague's addition to it between our last read and the write; absent: see `Harness.beside`. */
  readonly lostBetween?: readonly string[];
  /** The cloud says one thing in several ways. */
  readonly spells: boolean;
  /** Networks, or groups, are born with rules or groups of their own. */
  readonly bearsRules: boolean;
}

export type KindsOf = (subject: Subject) => readonly Kind[];

/** Every kind that is an object here. */
export const every: KindsOf = ({ dialect }) =>
  (['network', 'subnet', 'group', 'firewall-rule', 'instance'] as const).filter(
    (kind) => kind !== 'group' || dialect.holds.groups === 'objects',
  );

/** Those that bear labels. */
export const labelled: KindsOf = (subject) =>
  every(subject).filter((kind) => {
    if (kind === 'network' || kind === 'subnet') return fieldsOf(subject, kind).includes('labels');
    return kind !== 'firewall-rule';
  });

/** Those that bear a mark of their own. */
export const marked: KindsOf = (subject) => every(subject).filter((kind) => subject.manners.owned[kind] === 'mark');

/** Kinds with a mark that can be written again. */
export const remarkable: KindsOf = (subject) =>
  marked(subject).filter((kind) => !subject.dialect.holds.fixedMarks.includes(kind));

/** Those of which the cloud never makes a second by the same token or name. */
export const once: KindsOf = (subject) =>
  every(subject).filter((kind) => kind !== 'network' || subject.dialect.holds.oneByName.includes(kind));

/** One kind of these, or none where it does not apply. */
export const where =
  (kinds: KindsOf, applies: (subject: Subject) => boolean): KindsOf =>
  (subject) =>
    applies(subject) ? kinds(subject) : [];

export const just =
  (...kinds: readonly Kind[]): KindsOf =>
  (subject) =>
    every(subject).filter((kind) => kinds.includes(kind));

export const fieldsOf = ({ dialect }: Subject, kind: 'network' | 'subnet'): readonly string[] =>
  kind === 'network' ? dialect.holds.network : dialect.holds.subnet;

/** Content identifies atoms, and groups contain them: AWS. */
export const byContent = ({ dialect }: Subject): boolean => dialect.rules.contentName !== undefined;
export const byName = (subject: Subject): boolean => !byContent(subject);

export const holds =
  (kind: 'network' | 'subnet', field: string) =>
  (subject: Subject): boolean =>
    fieldsOf(subject, kind).includes(field);

export const hasLabels =
  (kind: Kind) =>
  (subject: Subject): boolean =>
    labelled(subject).includes(kind);

export const leaveTogether =
  (what: Manners['together'][number]) =>
  ({ manners }: Subject): boolean =>
    manners.together.includes(what);
