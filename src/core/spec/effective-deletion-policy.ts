import type { ResourceDoc } from './effective-mode.ts';

export type DeletionPolicy = NonNullable<ResourceDoc['spec']['deletionPolicy']>;

/** What becomes of the object when its document goes: as said, else rules go and everything else stays. */
export function effectiveDeletionPolicy({ kind, spec }: ResourceDoc): DeletionPolicy {
  if (spec.deletionPolicy !== undefined) return spec.deletionPolicy;
  return kind === 'FirewallRule' ? 'delete' : 'retain';
}
