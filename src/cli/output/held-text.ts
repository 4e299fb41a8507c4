import type { Held } from '../../core/pause.ts';

/** `everything of the estate`, `healing for owner team-web` */
export function heldText({ what, of }: Held): string {
  if (of.by === 'estate') return what === 'all' ? 'everything of the estate' : `${what} of the estate`;
  return `${what === 'all' ? 'everything' : what} for ${of.by} ${of.name}`;
}

/** The options that name exactly this: ` --healing --owner team-web`. */
export function heldFlags({ what, of }: Held): string {
  const flag = what === 'all' ? '' : ` --${what}`;
  return of.by === 'estate' ? flag : `${flag} --${of.by} ${quoted(of.name)}`;
}

const quoted = (name: string): string => (/^[\w./@:-]+$/.test(name) ? name : `'${name.replaceAll("'", "'\\''")}'`);
