/** A listing that is used, and how many of what it lists there are. */
export interface Paged {
  readonly page: number;
  readonly items: number;
}

/** Pages of all listings: an empty one is a page too. */
export const pagesOf = (listings: readonly Paged[]): number =>
  listings.reduce((calls, { page, items }) => calls + Math.max(1, Math.ceil(items / page)), 0);
