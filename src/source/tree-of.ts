/** Whose tree a path lies in: `@web/` where team web's repository holds it, '' for the estate's own. */
export const treeOf = (path: string): string => /^@[^/]+\//.exec(path)?.[0] ?? '';
