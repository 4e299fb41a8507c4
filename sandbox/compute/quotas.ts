/**
 * What a project may hold. Defaults vary between projects; these are the ones that new projects are seen with.
 * https://docs.cloud.google.com/vpc/docs/quota#per_project
 */
export interface Quotas {
  readonly networks: number;
  readonly subnetworks: number;
  readonly firewalls: number;
  readonly routes: number;
  /** In each region, as are the next two. */
  readonly instances: number;
  /** Of each series that is counted by itself, and of all others together. */
  readonly cpus: number;
  /** Ephemeral external addresses. */
  readonly externalAddresses: number;
}

export const QUOTAS: Quotas = {
  networks: 15,
  subnetworks: 275,
  firewalls: 500,
  routes: 200,
  instances: 6000,
  cpus: 576_000,
  externalAddresses: 6000,
};
