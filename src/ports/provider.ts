import type { CloudCredential } from '../core/cloud-credential.ts';
import type { Dialect } from '../core/compile/dialect.ts';
import type { Failure, Result } from '../core/failure.ts';
import type { BatchLimits } from '../core/pack.ts';
import type { Cloud, Kind, ScopeKey } from '../core/resource.ts';
import type { Touch } from '../core/touch.ts';
import type { Actuator, Call } from './actuator.ts';
import type { Clock } from './clock.ts';
import type { LaunchAnswer, LaunchQuestion } from './launch-check.ts';

/** One cloud: the whole of what a folder under providers/ exports. The SDK loads in `open`, not before. */
export interface Provider {
  readonly cloud: Cloud;
  readonly dialect: Dialect;
  /** Most actions that one call carries: what calls are packed by, and predicted from. */
  readonly batches: BatchLimits;
  /** `clock`: what the session waits by when the cloud takes its time, as for a machine to stop. */
  open(target: Access, clock: Clock): Promise<Session>;
  /** What one event of the cloud's audit log says, as its event service delivers it; none where it names nothing of ours. Never throws. */
  touches?(event: unknown): readonly Touch[];
}

/** One scope of one cloud, with its credentials. */
export interface Session {
  readonly scope: ScopeKey;
  /** Whose credentials these are, by the cloud's own word: an account, a project, a subscription. Asked before the first listing. */
  identify(call: Call): Promise<Result<string>>;
  /**
   * Asked after `identify`, and before the first listing. The failures of those regions that the cloud does not have; each names its own.
   * Absent: `identify` tells, or the cloud has any. Once the cloud was found to have a region, this process asks for it no more.
   */
  checkRegions?(regions: readonly string[], call: Call): Promise<Result<readonly Failure[]>>;
  /** Listings of several kinds may share requests; a session is opened for one pass. */
  readonly actuators: { readonly [K in Kind]: Actuator<K> };
  /** Whether such a machine can be launched, asked before anything is changed for it. What a session has once found possible it need not ask again. */
  canLaunch?(question: LaunchQuestion, call: Call): Promise<LaunchAnswer>;
  /** Awaits what an earlier process began and kept (`Call.operations`): before the first listing, and each is dropped as it ends. */
  resume?(kept: readonly KeptOperation[], call: Call): Promise<void>;
  close(): Promise<void>;
}

export interface KeptOperation {
  readonly id: string;
  readonly state: string;
}

/** How to reach a scope. `endpoint` has been allowed by the user. */
export interface Access {
  readonly scope: ScopeKey;
  readonly account: string;
  readonly region: string;
  readonly endpoint?: string;
  /** Left out: the SDK's own default chain. */
  readonly credentials?: Credentials;
}

/** Exactly one of the two. */
export interface Credentials {
  /** AWS: the role to assume with the credentials that the process has. */
  readonly assumeRole?: string;
  /** What a secret held, of the scope's own cloud: a function, so that no log, JSON or error of an Access shows it. */
  readonly secret?: () => CloudCredential;
}

/** A listing that ended early or was refused: thrown by `list`, becomes a gap. `failure` tells whether asking again may help. */
export class ListingFailed extends Error {
  readonly code: string;
  readonly failure: Failure | undefined;
  constructor(code: string, message: string, failure?: Failure) {
    super(message);
    this.name = 'ListingFailed';
    this.code = code;
    this.failure = failure;
  }
}
