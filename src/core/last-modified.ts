import type { CloudId, ScopeKey } from './resource.ts';

/** That somebody changed objects of a cloud, as the cloud's own audit log says it. A hint: the truth is what a look finds. */
export interface Touch {
  /**
   * The scope; or, where the event does not name the place, the prefix of all of an account's scopes: `azure/<subscription>`.
   */
  readonly scope: ScopeKey;
  /** The cloud's name for the event. */
  readonly event: string;
  /** When the call was made, ms since the epoch, by the cloud's clock. */
  readonly at: number;
  readonly actor: Actor;
  /**
   * The named objects, as `Dialect.names.auditLogId` has them; a rule's container where the rule is not named. None: it only leads to
   * an observation.
   */
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

/**
 * The last modifier of an object, as kept with a finding, and with the entry that heals it. `requestId`: the cloud's id of the call,
 * where its event has one.
 */
export interface TouchedBy extends Actor {
  readonly event: string;
  readonly at: number;
  readonly requestId?: string;
}

/** The last touch of an object, as the store has it. `heardAt`: by our own clock, ms since the epoch. */
export interface HeardTouch {
  readonly by: TouchedBy;
  readonly heardAt: number;
}

/** The newest word on one object. */
export interface TouchedObject {
  readonly scope: ScopeKey;
  readonly object: CloudId;
  readonly by: TouchedBy;
  readonly requestId?: string;
}

/** Of each object that these name, who touched it last; of events at one moment the one that sorts last. One name for one object. */
export function touchedLast(touches: readonly Touch[]): readonly TouchedObject[] {
  const last = new Map<string, TouchedObject>();
  for (const { scope, event, at, actor, objects, requestId } of touches)
    for (const object of objects) {
      const key = `${scope} ${object}`;
      const before = last.get(key)?.by;
      const by = { ...actor, event, at };
      if (before !== undefined && !isLater(by, before)) continue;
      last.set(key, { scope, object, by, ...(requestId === undefined ? {} : { requestId }) });
    }
  return [...last.values()];
}

const isLater = (one: TouchedBy, other: TouchedBy): boolean =>
  one.at > other.at || (one.at === other.at && one.event > other.event);

/** These touches in the scopes that they are of: one that names only an account is one in each of its scopes. Others are left out. */
export const touchesIn = (touches: readonly Touch[], scopes: readonly ScopeKey[]): readonly Touch[] =>
  touches.flatMap((touch) =>
    scopes
      .filter((scope) => isWithin(scope, touch.scope))
      .map((scope) => (scope === touch.scope ? touch : { ...touch, scope })),
  );

const isWithin = (scope: ScopeKey, wide: ScopeKey): boolean => scope === wide || scope.startsWith(`${wide}/`);

/** The program name in our own requests to the clouds. */
export const ownAgent = 'setpoint';

/**
 * True where a change claims to be one of ours. Anybody can write that: such an event still leads to an observation of its
 * scope, and only names nobody. The ids in the ledger identify our own calls for certain.
 */
export const claimsToBeOurs = ({ agent }: Actor): boolean => agent !== undefined && ownName.test(agent);

const ownName = /(^|[\s(;])setpoint($|[\s/);])/;
