/** One thing that must be so. */
export interface Rule<T> {
  readonly name: string;
  holds(given: T): boolean;
}
