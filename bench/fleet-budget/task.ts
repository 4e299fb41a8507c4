import type pg from 'pg';

/** One account and region, and a network that is not there: looking for it is one call. */
export interface Ground {
  readonly cloud: 'aws' | 'gcp';
  readonly account: string;
  readonly region: string;
  readonly network: string;
}

/**
 * The work of one worker. `redis`, `postgres`: workers share their budgets there; without either each keeps budgets of its own.
 * `calls`: the worker is idle after so many; absent: it never is.
 */
export interface Task {
  readonly ground: Ground;
  readonly url: string;
  readonly redis?: string;
  readonly postgres?: pg.ClientConfig;
  readonly calls?: number;
  readonly worker: string;
  readonly seconds: number;
}
