import type { EstateDoc } from '../core/documents/document.ts';
import type { AuthorNames } from '../core/inventory/authors.ts';
import type { Cloud } from '../core/resource.ts';
import type { Progress } from '../engine/control.ts';
import type { Clock } from '../ports/clock-and-log.ts';
import type { SpecSnapshot } from '../ports/fleet-state.ts';
import type { Limiter } from '../ports/limiter.ts';
import type { Provider } from '../ports/provider.ts';
import type { Queue } from '../ports/queue.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { SourceCondition, SpecTree } from '../ports/sources.ts';
import type { Store } from '../ports/store.ts';
import type { Telemetry } from '../ports/telemetry.ts';

/** The dependencies of one worker's reconciles. */
export interface WorkerContext {
  readonly store: Store;
  readonly queue: Queue;
  readonly limiter: Limiter;
  readonly outside: ExternalAccess;
  readonly clock: Clock;
  readonly telemetry: Telemetry<Progress>;
}

/** The ways to clouds, specs and secrets, wired by the root. */
export interface ExternalAccess {
  cloud(cloud: Cloud): Promise<Provider>;
  /** A tree that the store kept. */
  specs(kept: SpecSnapshot, revision: string): SpecTree | Promise<SpecTree>;
  readonly secrets: Secrets;
  /** True where targets may name an endpoint: an endpoint decides where credentials are sent. */
  readonly allowEndpoint: boolean;
  /** This worker, as others see it who wait for its leases. */
  readonly holder: string;
}

/** A source of specs. `name`: for people, never with a credential in it. */
export interface Source {
  readonly name: string;
  /** Interval of polling for changes without a notification. */
  readonly everyMs: number;
  /** Rejects where it cannot be read. */
  read(signal: AbortSignal): Promise<SpecTree>;
  /** Absent: a folder, whose states have no history and may be half written. */
  readonly history?: History;
}

/** A repository's commits: what came after what, and who says so. */
export interface History {
  /** Decides whether a revision may follow the active one. */
  judge(revision: string, after: CurrentRevision): Promise<HistoryValidation>;
  /** The authors of a revision's changes since the active one; absent: unknown. `before` absent: none is active. */
  authors?(revision: string, before: string | undefined): Promise<AuthorNames>;
}

/** `revision`: the active one; absent: none is. `signatures`: as that one requires them. */
export interface CurrentRevision {
  readonly revision?: string;
  readonly signatures?: EstateDoc['spec']['signatures'];
  /** A person accepted that the active revision is no ancestor. */
  readonly mayRewrite: boolean;
}

export interface HistoryValidation {
  readonly state: Extract<SourceCondition, 'followed' | 'unsigned' | 'rewritten'>;
  /** For people, with what to do next; '' where it is followed. */
  readonly why: string;
}
