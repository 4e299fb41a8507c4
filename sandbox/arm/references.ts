import { refuseUnprovisioned } from './busy.ts';
import { refused } from './errors.ts';
import { keyOf, parentPath } from './resource-id.ts';
import { trackedAt } from './resource-types.ts';
import type { Subscription } from './subscription.ts';

interface Reference {
  /** Who names it. */
  readonly from: string;
  readonly to: string;
  readonly location: string;
}

/** What a resource refers to exists, lies in the same location, and has no operation under way. */
export function checkReference(subscription: Subscription, { from, to, location }: Reference): void {
  if (subscription.outside.has(keyOf(to))) return;
  const found = trackedAt(subscription, to);
  if (found?.location === location && childExists(subscription, to)) {
    refuseUnprovisioned(subscription, from, found);
    return;
  }
  const message = `Resource ${to} referenced by resource ${from} was not found. Please make sure that the referenced resource exists, and that both resources are in the same region.`;
  throw refused('InvalidResourceReference', message, {
    details: [{ code: 'NotFound', message: `Resource ${to} not found.` }],
  });
}

function childExists({ networks }: Subscription, path: string): boolean {
  if (!/\/subnets\/[^/]+$/i.test(path)) return true;
  const network = networks.get(keyOf(parentPath(path)));
  return network?.subnets.some(({ id }) => id === keyOf(path)) ?? false;
}
