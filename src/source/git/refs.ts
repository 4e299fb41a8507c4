import { baseRevision } from '../../core/patch.ts';

/** A rule for a name. Tables, so that a test can leave a row out and show its purpose. */
export interface NameRule {
  readonly name: string;
  readonly breaks: (ref: string) => boolean;
  /** Goes on after "the name …". */
  readonly message: string;
}

/** Of a branch or tag: what git asks (https://git-scm.com/docs/git-check-ref-format), and that no program takes it for an option or an expression. */
export const nameRules: readonly NameRule[] = [
  { name: 'empty', breaks: (ref) => ref === '', message: 'is empty' },
  { name: 'length', breaks: (ref) => Buffer.byteLength(ref) > 200, message: 'has more than 200 bytes' },
  { name: 'option', breaks: (ref) => /(?:^|\/)-/.test(ref), message: 'begins with a dash' },
  {
    name: 'character',
    breaks: (ref) => /[\p{Cc}\p{Cf}\p{Cs}\p{Z}]/u.test(ref),
    message: 'holds a blank or a character that does not show',
  },
  { name: 'expression', breaks: (ref) => /[~^:?*[\\]/.test(ref), message: 'holds one of ~ ^ : ? * [ \\' },
  { name: 'dots', breaks: (ref) => ref.includes('..'), message: 'holds two dots in a row' },
  { name: 'hidden', breaks: (ref) => /(?:^|\/)\./.test(ref), message: 'has a part that begins with a dot' },
  { name: 'end', breaks: (ref) => /\.(?:$|\/)/.test(ref), message: 'has a part that ends with a dot' },
  { name: 'lock', breaks: (ref) => /\.lock(?:$|\/)/i.test(ref), message: 'has a part that ends with .lock' },
  { name: 'slash', breaks: (ref) => /^\/|\/\/|\/$/.test(ref), message: 'has an empty part' },
  { name: 'reflog', breaks: (ref) => ref === '@' || ref.includes('@{'), message: 'reads as an entry of a log' },
  { name: 'force', breaks: (ref) => ref.startsWith('+'), message: 'begins with a plus' },
];

/** The reason that git does not get this name; undefined where it does. */
export const refusedName = (ref: string, rules: readonly NameRule[] = nameRules): string | undefined =>
  rules.find(({ breaks }) => breaks(ref))?.message;

/** Of the folder that specs lie in. */
export const pathRules: readonly NameRule[] = [
  { name: 'length', breaks: (path) => Buffer.byteLength(path) > 512, message: 'has more than 512 bytes' },
  { name: 'character', breaks: (path) => /[\p{Cc}\p{Cf}\p{Cs}]/u.test(path), message: 'has invisible characters' },
  { name: 'option', breaks: (path) => /(?:^|\/)-/.test(path), message: 'has a part that begins with a dash' },
  {
    name: 'step',
    breaks: (path) => /(?:^|\/)\.{0,2}(?:\/|$)/.test(path),
    message: 'has a part that is empty, . or ..',
  },
];

/** Nothing but an object's full name, as git reads other words as expressions or options. */
export function fullName(id: string): string {
  if (!/^[0-9a-f]{40}$/.test(id)) throw new RangeError(`no full name of a commit: ${JSON.stringify(id.slice(0, 100))}`);
  return id;
}

/** The commit that a tree out of git was read from. */
export interface GitRevision {
  /** The commit of the estate's own repository. */
  readonly root: string;
  /** Of each team's, by its name. */
  readonly teams: ReadonlyMap<string, string>;
  readonly overlay?: string | undefined;
}

/** `git:<root>+<team>=<commit>…@<overlay>`, teams in the order of their names: the same commits, the same text. */
export function gitRevision({ root, teams, overlay }: GitRevision): string {
  const sorted = [...teams].toSorted(([a], [b]) => Number(a > b) - Number(a < b));
  const parts = sorted.map(([team, commit]) => `+${team}=${commit}`);
  return `git:${root}${parts.join('')}${overlay === undefined ? '' : `@${overlay}`}`;
}

/** Undefined where a revision is none of git's. Patches beside it count for nothing. */
export function parseGitRevision(revision: string): GitRevision | undefined {
  const text = baseRevision(revision);
  const [, root, teams = '', overlay] = /^git:([0-9a-f]{40})((?:\+[\w.-]+=[0-9a-f]{40})*)(?:@(.+))?$/.exec(text) ?? [];
  if (root === undefined) return undefined;
  const pairs = [...teams.matchAll(/\+([\w.-]+)=([0-9a-f]{40})/g)].map(
    ([, team = '', commit = '']) => [team, commit] as const,
  );
  return { root, teams: new Map(pairs), ...(overlay === undefined ? {} : { overlay }) };
}
