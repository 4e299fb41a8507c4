import type { Held } from '../pause.ts';

/** `everything of the estate`, `healing for owner team-web` */
export function heldText({ what, of }: Held): string {
  if (of.by === 'estate') return what === 'all' ? 'everything of the estate' : `${what} of the estate`;
  return `${what === 'all' ? 'everything' : what} for ${of.by} ${of.name}`;
}
