import type { Batch } from '../action.ts';
import type { Desired, Presence, ReplaceStrategy } from '../desired.ts';
import type { Observed } from '../observed.ts';
import type {
  Address,
  Cloud,
  CloudId,
  Kind,
  NetworkAttributes,
  RuleAttributes,
  ScopeKey,
  SubnetAttributes,
} from '../resource.ts';

/** Translates a spec for one cloud: pure, so that planning needs no SDK. Each provider exports one. */
export interface Dialect {
  readonly cloud: Cloud;
  /** `aws/<account>/<region>`. */
  scope(place: Place): ScopeKey;
  readonly names: NameDialect;
  readonly holds: Holdings;
  readonly rules: RuleDialect;
  /**
   * The number of mutating requests that a batch takes, if nothing is refused. A replacement is a creation and a deletion.
   * Absent: one.
   */
  writes?(batch: Batch): number;
  /**
   * The same wish in the words that the cloud used, wherever they say the same: a tag key in another case, an image by its
   * URL. What means something else stays as it was asked for. Absent: this cloud has one spelling for everything.
   */
  matchSpelling?(desired: Desired, observed: Observed): Desired;
}

export interface NameDialect {
  /** The prefix before `/<kind>/<name>` in an address: `aws/1111/eu-west-1`, `gcp/acme/global`. */
  prefix(kind: Kind, place: Place): string;
  /** The object's name on the cloud: `core`, `core-app`, `core-web`, `web-0`. */
  objectName(kind: Kind, name: string): string;
  /**
   * The name of a machine that is to take another's place, where the cloud keeps names of machines unique: another name for
   * each predecessor, and for one always the same, so that it cannot be created twice. Absent: as its predecessor.
   */
  successor?(name: string, predecessor: CloudId): string;
  /** The name of an object with this id in the cloud's audit log. Absent: the same. */
  auditLogId?(id: CloudId): CloudId;
  /**
   * An id as other tools write it, in one spelling: of links, cases and our ids alike, and without the number by which ours tell two
   * objects of one name apart. Absent: the same.
   */
  plainId?(id: string): string;
}

/** The attributes of each kind that a cloud can hold, and those that it cannot. */
export interface Holdings {
  /** `objects`: listed, marked, and Refs point at them (AWS, Azure, memory). `tags`: only names (GCP). */
  readonly groups: 'objects' | 'tags';
  /** True where a group has a description, given at its creation. */
  readonly groupDescription?: true;
  /** Attributes that are not named here are left out of the desired state: not compared, not changed. */
  readonly network: readonly (keyof NetworkAttributes)[];
  readonly subnet: readonly (keyof SubnetAttributes)[];
  /** Kinds whose mark cannot be written later, or that bear none: what is adopted there is claimed in the store alone. */
  readonly fixedMarks: readonly Kind[];
  /**
   * True where one call writes equal marks on many objects. Then the mark of an adopted object names the estate and the store alone,
   * and the store and its document know its address. Absent: each object has a mark of its own.
   */
  readonly equalMarks?: boolean;
  /** Kinds of which the cloud never makes a second by the same name: a creation that was not answered is sent again at once. */
  readonly oneByName: readonly Kind[];
  /** The label that bears the names of what has labels, where anybody may change it (AWS: the tag `Name`). Absent: names are fixed. */
  readonly nameLabel?: string;
  /** The default way to replace a machine. Where names are unique, `surge` needs `names.successor`. */
  readonly replace: ReplaceStrategy;
  /** Fields of an instance that change in place elsewhere, and here only while it stands still, or not at all. */
  readonly machineEffects?: Readonly<Record<string, 'stops' | 'replace'>>;
}

export interface RuleDialect {
  /** A rule for one side and one protocol as this cloud's atoms. Refs are addresses. */
  atoms(rule: RuleDraft): readonly Atom[];
  /**
   * The one existing rule that a document adopts, whatever the form of it. Absent: rules of this cloud are adopted with their
   * group. Throws a RangeError where no rule of the cloud can say it.
   */
  adopted?(rule: AdoptedDraft): RuleAttributes;
  /** The atoms that say the network's `default` here, for each group that exists. */
  defaults(network: NetworkDraft): readonly (Atom & { readonly presence: Presence })[];
  /**
   * The end of an atom's address, on a cloud that identifies atoms by their content. It alone distinguishes the atoms
   * of one container; two atoms with one name are one. `refName` gives a short text for a Ref. Absent: an atom has
   * its own name, and its content changes in place, at once.
   */
  contentName?(atom: RuleAttributes, refName: (ref: string) => string): string;
  /** The number of rules that one container takes. Absent: the cloud counts them by project, or not at all. */
  readonly room?: RuleRoom;
  /** The numbering of priorities, where it is ours. Absent: they are those of the spec. */
  readonly numbering?: Numbering;
}

/** `most`: unless the account's quota was changed. `apart`: the rules that are counted by themselves. */
export interface RuleRoom {
  readonly most: number;
  readonly apart: readonly ('direction' | 'family')[];
  /** The cloud's name for the quota, and for such a container. */
  readonly quota: string;
  readonly container: string;
}

/** `name`: what tells it from the other rules of its network, `web-https-1a2b3c4d`; '' where content does. */
export interface Atom {
  readonly name: string;
  readonly attributes: RuleAttributes;
}

/** Numbers of rules, per network and direction. `last` and beyond are fixed: the defaults stand there. */
export interface Numbering {
  readonly first: number;
  readonly last: number;
  /** Left free between two rules where there is room. */
  readonly gap: number;
}

/** A rule with everything about spelling already settled: canonical CIDRs, port ranges merged, groups as addresses. */
export interface RuleDraft {
  /** The document's. */
  readonly name: string;
  readonly network: Address;
  /** The side that it applies to: the address of a group, `tag:<name>`, `service-account:<email>`, a block; '' for every machine. */
  readonly group: string;
  readonly base: Pick<RuleAttributes['match'], 'direction' | 'action' | 'protocol'>;
  readonly traffic: {
    /** Canonical single ranges (`443`, `8000-8100`) or [`all`]; icmp `8/0`, `8/all`. */
    readonly ports: readonly string[];
    readonly peers: readonly string[];
  };
  readonly extra: {
    readonly description: string;
    readonly priority: number;
    readonly disabled: boolean;
    readonly log: boolean;
  };
}

/** A rule that stands for one object. `targets`: all sides, as `group` of a draft; empty for every machine. */
export interface AdoptedDraft extends Pick<RuleDraft, 'extra'> {
  /** '' for a rule that lies in no network. */
  readonly network: Address | '';
  readonly targets: readonly string[];
  readonly base: Pick<RuleDraft['base'], 'direction' | 'action'>;
  /** Ports as in a draft, by protocol; never empty. */
  readonly services: readonly { readonly protocol: string; readonly ports: readonly string[] }[];
  readonly peers: readonly string[];
}

export interface NetworkDraft {
  readonly network: Address;
  readonly groups: readonly Address[];
  readonly default: { readonly ingress: 'allow' | 'deny'; readonly egress: 'allow' | 'deny' };
}

/** The place of a target. */
export interface Place {
  readonly account: string;
  readonly region: string;
  readonly zone?: string;
  readonly resourceGroup?: string;
}
