import type { Desired } from '../core/desired.ts';
import type { Failure } from '../core/failure.ts';
import type { Knowledge } from '../core/knowledge.ts';
import type { LaunchAnswer } from '../ports/provider.ts';
import type { Calls } from './calls.ts';
import type { Cancellation, ReconcileControl } from './control.ts';
import type { IdIndex } from './id-index.ts';
import type { Authorization, EnginePorts, Site } from './ports.ts';
import type { Replays } from './replay.ts';

/** The context that all steps of one execution share. */
export interface ExecutionContext {
  readonly at: { readonly site: Site; readonly authorization: Authorization };
  readonly ports: EnginePorts;
  readonly known: {
    readonly knowledge: Knowledge;
    readonly ids: IdIndex;
    readonly quotas: QuotaStates;
    /** Launches that are sent again as they were recorded: whole, or not at all. */
    readonly replays: Replays;
  };
  /** The clouds' answers about machines before their launch. */
  readonly launchChecks: LaunchChecks;
  readonly calls: Calls;
  readonly cancellation: Cancellation;
  readonly notify: ReconcileControl['notify'];
}

/** The quota state of a reconcile: the refusal of one more, once there was one. From then on nothing like it is sent. */
export interface QuotaState {
  refusal: Failure | undefined;
}

/** The room for one thing: shared by machines of one size in one place and subnet; any others may fit where these do not. */
type QuotaStates = (desired: Desired) => QuotaState;

export function quotaStates(): QuotaStates {
  const quotas = new Map<string, QuotaState>();
  return (desired) => {
    const quota: QuotaState = { refusal: undefined };
    const key = keyOf(desired);
    if (key === undefined) return quota;
    const known = quotas.get(key) ?? quota;
    quotas.set(key, known);
    return known;
  };
}

function keyOf({ kind, address, attributes }: Desired): string | undefined {
  if (kind !== 'instance' || !('machine' in attributes)) return undefined;
  const place = address.slice(0, address.lastIndexOf('/'));
  return JSON.stringify([place, attributes.machine.size, attributes.placement.subnet]);
}

/** Answers of one execution, by what was asked: equal machines in one place are asked for once. */
export type LaunchChecks = Map<string, Promise<LaunchAnswer>>;
