/** A place in a spec file. Lines and columns count from 1; columns count UTF-16 units, as editors do. */
export interface Position {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** The way from a document's root to one of its values: `['spec', 'subnets', 0, 'cidr']`. */
export type Path = readonly PropertyKey[];
