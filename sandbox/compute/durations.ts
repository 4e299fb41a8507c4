/**
 * How long operations take, in milliseconds of the sandbox's clock. Google publishes no figures; these are assumptions
 * of the order that operations of real projects take, and all of them can be set.
 */
export interface Durations {
  /** Networks, subnetworks, firewalls, routes. */
  readonly network: number;
  /** How long an instance is provisioned and staged. */
  readonly start: number;
  readonly stop: number;
  readonly delete: number;
  /** Labels, tags, metadata, machine type. */
  readonly change: number;
  /** How long the operation waits before it runs. */
  readonly pending: number;
}

export const DURATIONS: Durations = {
  network: 4_000,
  start: 10_000,
  stop: 10_000,
  delete: 10_000,
  change: 2_000,
  pending: 300,
};
