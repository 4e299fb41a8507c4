/** The sandbox that the active specs call, and a port that nothing has a reason to call. */
export interface Endpoints {
  readonly sandbox: string;
  readonly canary: string;
}

/** Files of a tree by their path. */
export type Files = Readonly<Record<string, string>>;
