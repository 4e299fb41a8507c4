/** One file of a spec tree. `path` is its path in the tree, with `/`. */
export interface SpecFile {
  readonly path: string;
  readonly text: string;
}
