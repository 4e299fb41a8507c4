/** Time, so that it can be virtual. `now`: milliseconds since the epoch; `sleep` rejects with the signal's reason when aborted. */
export interface Clock {
  now(): number;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/**
 * Lines for people and programs that watch. A message is static: what differs from one time to the next stands in fields,
 * and only fields that are named here are ever written, so that no secret comes along with an object.
 */
export interface Log {
  debug(message: string, fields?: Fields): void;
  info(message: string, fields?: Fields): void;
  warn(message: string, fields?: Fields): void;
  error(message: string, fields?: Fields): void;
  /** The same log; all its lines have these fields too. */
  with(fields: Fields): Log;
}

export type Fields = { readonly [F in Field]?: string | number | boolean };

/** `why`: a sentence for people, such as an error's message. `of`: which of several things of a kind. */
export type Field =
  | 'estate'
  | 'scope'
  | 'reconcileId'
  | 'address'
  | 'cloud'
  | 'kind'
  | 'verb'
  | 'action'
  | 'rateLimit'
  | 'generation'
  | 'revision'
  | 'round'
  | 'count'
  | 'settled'
  | 'failed'
  | 'withheld'
  | 'findings'
  | 'outcome'
  | 'code'
  | 'requestId'
  | 'durationMs'
  | 'forMs'
  | 'worker'
  | 'holder'
  | 'epoch'
  | 'url'
  | 'caller'
  | 'task'
  | 'route'
  | 'webhook'
  | 'issuer'
  | 'metric'
  | 'source'
  | 'witness'
  | 'detail'
  | 'reason';
