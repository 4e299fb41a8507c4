import { createRequire } from 'node:module';

/** Definitions of protocol buffers as JSON: `INamespace` of protobufjs, as far as it is looked into. */
export interface Definition {
  readonly nested?: Readonly<Record<string, Definition>>;
  readonly fields?: Readonly<Record<string, { readonly type: string }>>;
  readonly methods?: Readonly<Record<string, { readonly requestType: string; readonly responseType: string }>>;
}

/** The services of which sdk.ts has clients. */
export const services: readonly string[] = [
  'Disks',
  'Firewalls',
  'GlobalOperations',
  'Images',
  'Instances',
  'MachineTypes',
  'Networks',
  'Projects',
  'RegionNetworkFirewallPolicies',
  'RegionOperations',
  'Regions',
  'Routers',
  'Routes',
  'Subnetworks',
  'ZoneOperations',
];

/**
 * The SDK's definitions, as far as these services reach: 467 of 2,216, and 0.4 of 12 MB. To make types of all of them holds the
 * loop for 300 ms. The published package has no more than these: see scripts/build.ts.
 */
export const definitions: Definition = reached(
  createRequire(import.meta.url)('@google-cloud/compute/build/protos/protos.json'),
);

function reached(all: Definition): Definition {
  const google = all.nested?.['google'];
  const { cloud, ...shared } = google?.nested ?? {};
  const v1 = cloud?.nested?.['compute']?.nested?.['v1'];
  const types = v1?.nested ?? {};
  const names = new Set(services);
  // why: iteration over a set includes items that are added meanwhile
  for (const name of names) for (const type of typesIn(types[name])) if (Object.hasOwn(types, type)) names.add(type);
  const kept = Object.fromEntries(Object.entries(types).filter(([name]) => names.has(name)));
  const compute = { nested: { v1: { ...v1, nested: kept } } };
  return { nested: { google: { ...google, nested: { ...shared, cloud: { nested: { compute } } } } } };
}

function typesIn({ fields = {}, methods = {} }: Definition = {}): readonly string[] {
  return [
    ...Object.values(fields).map(({ type }) => type),
    ...Object.values(methods).flatMap(({ requestType, responseType }) => [requestType, responseType]),
  ].map((type) => type.replace(/^.*\./, ''));
}
