import type { WireRequest } from '../protocol.ts';

export interface Identity {
  readonly account: string;
  readonly accessKeyId: string;
  readonly arn: string;
  readonly userId: string;
}

export interface Caller extends Identity {
  readonly region: string;
  readonly service: string;
}

export interface Session {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string;
}

export interface Accounts {
  /** Who signed the request, by the access key in its credential scope. The signature itself is not checked. */
  caller(request: WireRequest): Caller;
  /** Temporary credentials for a role; undefined when its account is not one of the sandbox's. */
  assume(roleArn: string, sessionName: string): { readonly session: Session; readonly identity: Identity } | undefined;
  has(account: string): boolean;
  readonly ids: readonly string[];
}
