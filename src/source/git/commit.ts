/** A commit as its author tells of it; none of it is proven. Texts are made safe to print. */
export interface Commit {
  readonly id: string;
  readonly tree: string;
  readonly parents: readonly string[];
  readonly author: Person;
  readonly committer: Person;
  /** The message's first line, of at most 200 characters. */
  readonly subject: string;
}

export interface Person {
  readonly name: string;
  readonly email: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** Of the bytes of a commit object; undefined where they are none. https://git-scm.com/docs/git-hash-object */
export function parseCommit(id: string, bytes: Buffer): Commit | undefined {
  const text = bytes.toString('utf8');
  const end = text.indexOf('\n\n');
  const head = end < 0 ? text : text.slice(0, end);
  const lines = head.split('\n');
  const tree = /^tree ([0-9a-f]{40})$/.exec(lines[0] ?? '')?.[1];
  const author = personOf(lines, 'author');
  const committer = personOf(lines, 'committer');
  if (tree === undefined || author === undefined || committer === undefined) return undefined;
  const parents = lines.flatMap((line) => /^parent ([0-9a-f]{40})$/.exec(line)?.[1] ?? []);
  const message = end < 0 ? '' : text.slice(end + 2);
  return { id, tree, parents, author, committer, subject: printable(message.trimStart().split('\n', 1)[0] ?? '') };
}

function personOf(lines: readonly string[], role: string): Person | undefined {
  const line = lines.find((one) => one.startsWith(`${role} `));
  const [, name, email, seconds] = /^\w+ (.*?) ?<([^<>]*)> (\d{1,12})(?: [+-]\d+)?$/.exec(line ?? '') ?? [];
  if (name === undefined || email === undefined) return undefined;
  return { name: printable(name), email: printable(email), at: Number(seconds) * 1000 };
}

/** Nothing that moves a cursor, colours a terminal or turns the order of text round. */
const printable = (text: string): string =>
  text
    .replaceAll(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/gu, '\ufffd')
    .trim()
    .slice(0, 200);
