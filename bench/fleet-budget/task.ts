/** One account and region, and a network that is not there: looking for it is one call. */
export interface Ground {
  readonly cloud: 'aws' | 'gcp';
  readonly account: string;
  readonly region: string;
  readonly network: string;
}

/** What one worker is to do. `redis`: absent where everybody is to keep budgets of their own. */
export interface Task {
  readonly ground: Ground;
  readonly url: string;
  readonly redis?: string;
  readonly worker: string;
  readonly seconds: number;
}
