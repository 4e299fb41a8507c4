import type { CloudId, ScopeKey } from './resource.ts';

/** That somebody changed objects of a cloud, as the cloud's own audit log says it. A hint: the truth is what a look finds. */
export interface Touch {
  /** Where the event does not tell the place, what all of an account's scopes begin with: `azure/<subscription>`. */
  readonly scope: ScopeKey;
  /** The cloud's name for the event. */
  readonly event: string;
  /** When the call was made, ms since the epoch, by the cloud's clock. */
  readonly at: number;
  readonly actor: Actor;
  /** What it named, as `Dialect.names.told` has it; a rule's container where the rule is not told. None: a look is all it is good for. */
  readonly objects: readonly CloudId[];
  /** The cloud's id of the request: by it our own calls are known. */
  readonly requestId?: string;
}

/** `who`: an ARN, an e-mail, a principal. `action`: the cloud's name of the call. `from`: an address of the network. `agent`: a program. */
export interface Actor {
  readonly who: string;
  readonly action: string;
  readonly from?: string;
  readonly agent?: string;
}

/** Who changed an object last, as kept with a finding, and with the entry that heals it. */
export interface TouchedBy extends Actor {
  readonly event: string;
  readonly at: number;
}

/** The last touch of an object, as the store has it. `heardAt`: by our own clock, ms since the epoch. */
export interface HeardTouch {
  readonly by: TouchedBy;
  readonly heardAt: number;
}
