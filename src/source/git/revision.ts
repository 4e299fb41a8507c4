/** What a tree out of git was read from. */
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

/** Undefined where a revision is none of git's. */
export function parseGitRevision(text: string): GitRevision | undefined {
  const [, root, teams = '', overlay] = /^git:([0-9a-f]{40})((?:\+[\w.-]+=[0-9a-f]{40})*)(?:@(.+))?$/.exec(text) ?? [];
  if (root === undefined) return undefined;
  const pairs = [...teams.matchAll(/\+([\w.-]+)=([0-9a-f]{40})/g)].map(
    ([, team = '', commit = '']) => [team, commit] as const,
  );
  return { root, teams: new Map(pairs), ...(overlay === undefined ? {} : { overlay }) };
}
