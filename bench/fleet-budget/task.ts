import type pg from 'pg';

/** One account and region, and a network that is not there: looking for it is one call. */
export interface Ground {
  readonly cloud: 'aws' | 'gcp';
  readonly account: string;
  readonly region: string;
  readonly network: string;
}

/**
 * What one worker is to do. `redis`, `postgres`: where the budgets are shared; without either everybody keeps budgets of their own. `calls`:
 * after so many it is idle; absent: it never is.
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
