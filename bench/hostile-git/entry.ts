/**
 * An entry of a folder in git. A text is a blob's, of whatever mode; a list a folder's. `{commit}`, `{missing}` and `{forged}`
 * are names of objects, `{ff}` in a name or a text is a byte that is no UTF-8.
 */
export type Entry = readonly [mode: string, name: string, holds: string | readonly Entry[]];

/** A sound spec. */
export const spec =
  'apiVersion: setpoint.dev/v1\nkind: Target\nmetadata: { name: a }\nspec: { provider: memory, account: a, region: r }\n';

export const entry = {
  file: (name: string, text = spec): Entry => ['100644', name, text],
  link: (name: string, to: string): Entry => ['120000', name, to],
  submodule: (name: string): Entry => ['160000', name, '{commit}'],
  folder: (name: string, ...inside: readonly Entry[]): Entry => ['40000', name, inside],
  /** A spec in so many folders. */
  deep: (depth: number): Entry => (depth === 0 ? entry.file('a.yaml') : entry.folder('d', entry.deep(depth - 1))),
  wide: (count: number, nameOf: (n: number) => string, text = ''): readonly Entry[] =>
    Array.from({ length: count }, (_, n) => entry.file(nameOf(n), text)),
  /** Four folders in each folder, which are one and the same: 4 to the power of `depth` of them in `depth` objects. */
  bomb: (depth: number): readonly Entry[] => {
    if (depth === 0) return [entry.file('x.txt', '')];
    const inside = entry.bomb(depth - 1);
    return ['a', 'b', 'c', 'd'].map((name) => ['40000', name, inside]);
  },
  /** A machine that boots with a file. */
  boots: (file: string): Entry => entry.file('i.yaml', `${machine}userData: { file: ${JSON.stringify(file)} } }\n`),
} as const;

const machine =
  'apiVersion: setpoint.dev/v1\nkind: Instance\nmetadata: { name: web }\nspec: { targets: [a], network: core, subnet: app, image: i, size: s, ';
