import type { EstateDoc } from '../core/documents/document.ts';
import type { Cloud } from '../core/resource.ts';
import type { Progress } from '../engine/ports.ts';
import type { Clock } from '../ports/clock-and-log.ts';
import type { KeptTree } from '../ports/fleet-state.ts';
import type { Limiter } from '../ports/limiter.ts';
import type { Provider } from '../ports/provider.ts';
import type { Queue } from '../ports/queue.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { SourceCondition, SpecTree, ToldAuthors } from '../ports/sources.ts';
import type { Store } from '../ports/store.ts';
import type { Telemetry } from '../ports/telemetry.ts';

/** What the reconciles of one worker stand on. */
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
  specs(kept: KeptTree, revision: string): SpecTree | Promise<SpecTree>;
  readonly secrets: Secrets;
  /** Whether targets may name an endpoint: an endpoint decides where credentials are sent. */
  readonly allowEndpoint: boolean;
  /** This worker, as others see it who wait for its leases. */
  readonly holder: string;
}

/** Where specs come from. `name`: for people, never with a credential in it. */
export interface Source {
  readonly name: string;
  /** How often it is asked for news that nobody told of. */
  readonly everyMs: number;
  /** Rejects where it cannot be read. */
  read(signal: AbortSignal): Promise<SpecTree>;
  /** Absent: a folder, whose states have no history and may be half written. */
  readonly history?: History;
}

/** A repository's commits: what came after what, and who says so. */
export interface History {
  /** Whether a revision may come into force after another. */
  judge(revision: string, after: CurrentRevision): Promise<HistoryValidation>;
  /** Who made what it has and the one in force has not; absent: nobody can say. `before` absent: none is in force. */
  authors?(revision: string, before: string | undefined): Promise<ToldAuthors>;
}

/** `revision`: in force; absent: none is. `signatures`: as that one asks for them. */
export interface CurrentRevision {
  readonly revision?: string;
  readonly signatures?: EstateDoc['spec']['signatures'];
  /** A person took on that what is in force is no ancestor. */
  readonly mayRewrite: boolean;
}

export interface HistoryValidation {
  readonly state: Extract<SourceCondition, 'followed' | 'unsigned' | 'rewritten'>;
  /** For people, with what to do next; '' where it is followed. */
  readonly why: string;
}
