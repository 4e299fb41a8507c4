import type { SpellingMode } from '../../sandbox/spelling.ts';
import type { Place } from '../../src/core/compile/dialect.ts';
import type { CloudId, InstanceAttributes, Kind, Labels, Ref } from '../../src/core/resource.ts';
import type { Clock } from '../../src/ports/clock-and-log.ts';
import type { Provider, Session } from '../../src/ports/provider.ts';

/** A harness, and how to put it away. */
export interface Opened {
  readonly harness: Harness;
  close(): Promise<void>;
}

/** One provider before one fresh, empty cloud. */
export interface Harness {
  /** That of the reconcile which goes on now: settling ends one and begins another. */
  readonly session: Session;
  readonly words: Words;
  /** Does the work while the cloud's time passes as it must. */
  run<T>(work: () => Promise<T>): Promise<T>;
  /** Lets so much time pass that all that was begun is done and all that was written is seen. */
  settle(): Promise<void>;
  readonly trouble: Trouble;
  /** Sets the spelling of the cloud's answers from now on; absent if it has only one. */
  readonly spell?: (mode: SpellingMode) => void;
  readonly byHand: ByHand;
  /** Absent where no rule is written as a whole or by lists: nothing of a rule can be lost there. */
  readonly beside?: Beside;
  readonly batches: Provider['batches'];
  /** The clock of our waits. */
  readonly clock: Clock;
  readonly packets: Packets;
}

/** This cloud's own packet check. It knows no API, and none of our assumptions. */
export interface Packets {
  reach(packet: Packet): boolean;
  /** Calls `look` after each request that the cloud took, writes and reads. Ends it. */
  watch(look: () => void): () => void;
}

/** This cloud's names. */
export interface Words {
  readonly place: Place;
  readonly machine: MachineWords;
  /** Labels of every sort that it takes. */
  readonly labels: Labels;
  /** A zone that a subnet can be in, where subnets are in zones. */
  readonly zone?: string;
  /** A well-formed id of nothing. */
  nowhere(kind: Kind): CloudId;
}

export interface MachineWords {
  readonly image: string;
  /** Two sizes, and two types of disk. */
  readonly sizes: readonly [string, string];
  readonly disks: readonly [string, string];
  /** Identities that machines may take; none where the cloud has none. */
  readonly identities: readonly string[];
  /** Further attributes that every machine needs here. */
  readonly least?: Pick<InstanceAttributes, 'boot'>;
}

export interface Trouble {
  /** From now on; `nth` counts matching requests from 1, and strikes once. Without it every one is struck. */
  strike(on: 'reads' | 'writes', fault: TroubleKind, nth?: number): void;
  /** No more trouble. */
  calm(): void;
}

/**
 * `refuse`: for good, nothing done. `fail`: a failure that passes. `lost-before`, `lost-after`: no answer, nothing done or
 * all done. `short-page`: one item a page, and more to come. `delay`: an hour of the cloud's time.
 */
export type TroubleKind = 'throttle' | 'fail' | 'refuse' | 'lost-before' | 'lost-after' | 'short-page' | 'delay';

/** A colleague who adds one block to the peers of a rule of ours, which has `peers` until then. */
export interface Beside {
  /** Is done when it returns. */
  addNow(rule: CloudId, block: string, peers: readonly string[]): Promise<void>;
  /** Right before the cloud carries out the next request of this sort for a rule. */
  addBefore(request: 'read' | 'write', rule: CloudId, block: string, peers: readonly string[]): Promise<void>;
}

/** Acts of a colleague who does not use Setpoint. */
export interface ByHand {
  /** Makes an object of this kind in this network, without any mark, and answers the id that the provider has for it. */
  make(kind: Kind, network: CloudId | undefined): Promise<CloudId>;
  /** Takes a thing away that nothing else needs. */
  remove(kind: Kind, id: CloudId): Promise<void>;
  /** The network that accounts are born with, if this cloud gives them one. */
  defaultNetwork?(): Promise<CloudId>;
  /** Every part of anything that stands, free ones too: gateways, tables, disks. */
  parts(): Promise<readonly CloudId[]>;
  /** A rule in another spelling than ours, and its meaning to us. */
  readonly spellings: readonly Spelling[];
}

/** The place of new resources: a network with a subnet and two groups (Refs: `tag:…` if groups are only names). */
export interface Home {
  readonly network: CloudId;
  readonly subnet: CloudId;
  readonly groups: readonly [Ref, Ref];
}

export interface Spelling {
  readonly name: string;
  readonly match: { readonly protocol: string; readonly ports: string; readonly peers: readonly string[] };
  /** Answers the id that the provider has for it. */
  add(home: Home): Promise<CloudId>;
}

/** The first packet of a TCP conversation. Its ends are machines by the ids that the provider has for them, or `internet`. */
export interface Packet {
  readonly from: CloudId | 'internet';
  readonly to: CloudId;
  readonly port: number;
}
