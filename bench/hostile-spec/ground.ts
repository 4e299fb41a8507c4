/** Where things are: the sandbox that the specs in force call, and a port that nothing has a reason to call. */
export interface Ground {
  readonly sandbox: string;
  readonly canary: string;
}

/** Files of a tree by their path. */
export type Files = Readonly<Record<string, string>>;
