import type { Refused } from '../refused.ts';
import { refused } from './errors.ts';

/** What stands in the way of a write; `path` as in `projects/acme/global/networks/core`. */
export function alreadyExists(path: string): Refused {
  return refused('alreadyExists', `The resource '${path}' already exists`);
}

export function notReady(path: string): Refused {
  return refused('resourceNotReady', `The resource '${path}' is not ready`);
}

/** `kind` as the message says it: `network`, `subnetwork`. */
export function inUse(kind: string, path: string, by: string): Refused {
  return refused('resourceInUseByAnotherResource', `The ${kind} resource '${path}' is already being used by '${by}'`);
}
