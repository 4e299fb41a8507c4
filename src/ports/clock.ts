/** Time, so that it can be virtual. `now`: milliseconds since the epoch; `sleep` rejects with the signal's reason when aborted. */
export interface Clock {
  now(): number;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}
