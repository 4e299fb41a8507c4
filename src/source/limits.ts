/**
 * Limits of a spec tree. Ours, not a cloud's: no real tree comes near them, and what stays inside them is parsed in
 * well under 250 ms a document (`bench/fuzz-specs.ts` measures it; the YAML parser needs 5 to 15 µs for a token).
 */
export const limits = {
  /** UTF-16 units of one document. */
  documentLength: 256 * 1024,
  /** Marks that may begin, end or part YAML nodes, line ends among them. */
  documentTokens: 8192,
  /** Maps and lists inside one another; the deepest document of ours has 7. */
  depth: 24,
  /** Documents of one file, empty ones among them. */
  documents: 5000,
  /** Bytes of one spec file, and of all of a tree. */
  fileBytes: 4 * 1024 * 1024,
  treeBytes: 64 * 1024 * 1024,
  files: 10_000,
  folderDepth: 16,
  /** Files and folders of a tree, others than specs among them. */
  entries: 200_000,
  /** A machine's first script: what the most generous cloud takes, see `core/documents/document.ts`. */
  userDataBytes: 256 * 1024,
  /** The most problems that are reported of one file; the rest is counted. */
  problems: 100,
} as const;
