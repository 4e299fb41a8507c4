import type { SecretRef, SecretUri } from '../core/documents/secret-ref.ts';
import type { Result } from '../core/failure.ts';

/**
 * Turns a reference into the text it names: at apply, and as a session is opened with it. Nothing is kept, so a
 * rotated secret counts from the next reconcile on. Throws only what `signal` aborts with.
 *
 *   failure     | means
 *   ------------+-----------------------------------------------------------------
 *   not-found   | there is no such variable, file, secret or version
 *   retryable   | the store is unavailable, slow or throttles; its library has asked again
 *   terminal    | refused, too large, no text: a person must act
 *
 * No message repeats anything of a secret, and none carries an error of a library, as these hold the answer.
 */
export interface Secrets {
  resolve(ref: SecretRef, asking: Asking): Promise<Result<string>>;
}

export interface Asking {
  readonly signal: AbortSignal;
  /** The target's own, allowed by the user: stores are asked there and not in their cloud. Loopback only. */
  readonly endpoint?: string;
}

/** One cloud's store: what a secret holds, as it came. */
export type SecretStore<C extends SecretUri['cloud'] = SecretUri['cloud']> = (
  uri: Extract<SecretUri, { readonly cloud: C }>,
  asking: Asking,
) => Promise<Result<string | Uint8Array>>;

/** Each loads its library when it is first asked, so that a command pays for the stores it uses. */
export type SecretStores = { readonly [C in SecretUri['cloud']]: SecretStore<C> };

/** A secret that is needed cannot be had: thrown by `Call.secret`. What it is needed for fails, other things go on. */
export class SecretUnread extends Error {
  readonly failure: Extract<Result<never>, { readonly ok: false }>['failure'];
  constructor(failure: SecretUnread['failure']) {
    super(failure.message);
    this.name = 'SecretUnread';
    this.failure = failure;
  }
}
