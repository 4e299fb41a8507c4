import type { WithCriticality } from '../../core/criticality.ts';
import type { SecretRef } from '../../core/documents/secret-ref.ts';
import type { Cloud, ScopeKey } from '../../core/resource.ts';
import type { adapters } from './adapters/index.ts';

/** A sender that may notify an estate, from its specs. `keys`: instead of Google's; on loopback, and allowed by the user. */
export type Webhook =
  | { readonly name: string; readonly from: keyof typeof adapters; readonly secret: SecretRef }
  | {
      readonly name: string;
      readonly from: 'pubsub';
      readonly audience: string;
      readonly serviceAccount: string;
      readonly keys?: string | undefined;
    };

/** The webhooks and scopes of an estate, as its active generation has them. */
export interface EstateWebhooks {
  readonly estate: string;
  readonly webhooks: readonly Webhook[];
  readonly scopes: readonly ScopeKey[];
  /** Of its scopes, where it is not normal. */
  readonly criticalities?: ReadonlyMap<ScopeKey, WithCriticality>;
}

/** The dependencies of webhooks, handed in by a root. Where one rejects, the sender is asked to try again. */
export interface WebhookDependencies {
  /** Of all estates. Asked at most every few seconds, however many requests come. */
  activeWebhooks(): Promise<readonly EstateWebhooks[]>;
  /** The current secret of a hook; undefined where it is unavailable, and the reason has been reported. */
  resolveSecret(ref: SecretRef): Promise<string | undefined>;
  /** For each of these deliveries whether it is the first with its id. */
  firstDeliveries(estate: string, hook: string, ids: readonly string[]): Promise<readonly boolean[]>;
  /** A repository of the estate may have moved. */
  repositoryMoved(estate: string): Promise<void>;
  /** Events of a cloud's audit log, genuine and each once. */
  handleEvents(estate: string, cloud: Cloud, events: readonly unknown[]): Promise<void>;
  /** True where a hook may name keys of its own. */
  readonly allowOwnKeys: boolean;
}
