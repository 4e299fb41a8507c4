import type { SecretRef } from '../../core/documents/secret-ref.ts';
import type { Cloud, ScopeKey } from '../../core/resource.ts';
import type { senders } from '../senders/index.ts';

/** Who may tell an estate to look, as its specs say it. `keys`: instead of Google's; on loopback, and allowed by the user. */
export type Hook =
  | { readonly name: string; readonly from: keyof typeof senders; readonly secret: SecretRef }
  | {
      readonly name: string;
      readonly from: 'pubsub';
      readonly audience: string;
      readonly serviceAccount: string;
      readonly keys?: string | undefined;
    };

/** What the generation in force of one estate says. */
export interface Hooked {
  readonly estate: string;
  readonly hooks: readonly Hook[];
  readonly scopes: readonly ScopeKey[];
}

/** What the hooks stand on, handed in by a root. Each may reject: then the sender is told to come again. */
export interface Hooks {
  /** Of all estates. Asked at most every few seconds, however many requests come. */
  inForce(): Promise<readonly Hooked[]>;
  /** What a hook's secret is now; undefined where it cannot be had, and somebody has been told why. */
  secret(ref: SecretRef): Promise<string | undefined>;
  /** For each of these deliveries whether it is the first with its id. */
  first(estate: string, hook: string, ids: readonly string[]): Promise<readonly boolean[]>;
  /** A repository of the estate may have moved. */
  ring(estate: string): Promise<void>;
  /** Events of a cloud's audit log, genuine and each once. */
  touched(estate: string, cloud: Cloud, events: readonly unknown[]): Promise<void>;
  /** Whether a hook may name keys of its own. */
  readonly allowKeys: boolean;
}
