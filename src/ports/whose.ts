/** Whose one thing is: the targets that it is of, and its owner; '' of nobody. */
export interface Whose {
  readonly targets: readonly string[];
  readonly owner: string;
}
