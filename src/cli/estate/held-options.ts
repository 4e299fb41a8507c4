import { type Command, Option } from 'commander';
import type { Held, PauseSubject } from '../../core/pause.ts';
import { withOverlayOption } from './overlay-option.ts';

/** What `pause` and `resume` are told alike: what is held still, and of whom. */
export interface HeldOptions {
  readonly healing?: boolean;
  readonly rollout?: boolean;
  readonly address?: string;
  readonly owner?: string;
  readonly target?: string;
}

/** One of each at most. `others`: options that say something else than these. */
export function withHeldOptions(command: Command, others: readonly string[] = []): Command {
  const option = (flags: string, text: string, against: readonly string[]): Option =>
    new Option(flags, text).conflicts([...against, ...others]);
  return withOverlayOption(command)
    .addOption(option('--healing', 'only the healing of what drifts', ['rollout']))
    .addOption(option('--rollout', 'only what the specs change', ['healing']))
    .addOption(option('--address <address>', 'only this resource, or all of this document', ['owner', 'target']))
    .addOption(option('--owner <name>', 'only what has this owner', ['address', 'target']))
    .addOption(option('--target <name>', 'only what is for this target', ['address', 'owner']));
}

/** The subject as it was given: whether there is such a thing is not looked at. */
export function subjectGiven({ address, owner, target }: HeldOptions): PauseSubject {
  if (address !== undefined) return { by: 'address', name: address };
  if (owner !== undefined) return { by: 'owner', name: owner };
  return target === undefined ? { by: 'estate' } : { by: 'target', name: target };
}

export function whatGiven({ healing, rollout }: HeldOptions): Held['what'] {
  if (healing) return 'healing';
  return rollout ? 'rollout' : 'all';
}
