import type { Held } from '../../core/pause.ts';

/** The options that name exactly this: ` --healing --owner team-web`. */
export function heldFlags({ what, of }: Held): string {
  const flag = what === 'all' ? '' : ` --${what}`;
  return of.by === 'estate' ? flag : `${flag} --${of.by} ${quoted(of.name)}`;
}

const quoted = (name: string): string => (/^[\w./@:-]+$/.test(name) ? name : `'${name.replaceAll("'", "'\\''")}'`);
