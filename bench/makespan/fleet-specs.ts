import type { SpecFile } from '../../src/source/spec-file.ts';
import type { Place } from '../estate/specs.ts';

/** Instance documents of equal machines, all in one subnet. */
export interface Fleet {
  readonly documents: number;
  /** At most 1000. */
  readonly replicas: number;
  /** A label of every machine. */
  readonly tier: string;
}

export const fleetSpecs = (fleet: Fleet, place: Place): readonly SpecFile[] => [
  { path: 'estate.yaml', text: joined([estateText, targetText(place), networkText]) },
  {
    path: 'machines.yaml',
    text: joined(Array.from({ length: fleet.documents }, (_, n) => machineText(n, fleet, place))),
  },
];

const estateText = 'kind: Estate\nmetadata: { name: bench }\nspec: { limits: { creates: 1000000 } }';

const targetText = ({ account, region, endpoint }: Place): string =>
  `kind: Target\nmetadata: { name: prod }\nspec: { provider: aws, account: "${account}", region: ${region}, endpoint: "${endpoint}", minReady: 0 }`;

/** A block that holds more machines than are ever asked for. */
const networkText = `kind: Network
metadata: { name: core }
spec: { targets: [prod], cidr: 10.0.0.0/16, subnets: [{ name: app, cidr: 10.0.0.0/17 }] }`;

const machineText = (n: number, { replicas, tier }: Fleet, { image }: Place): string =>
  `kind: Instance
metadata: { name: web-${n}, labels: { tier: ${tier} } }
spec: { targets: [prod], network: core, subnet: app, image: ${image}, size: t3.small, replicas: ${replicas} }`;

const joined = (documents: readonly string[]): string =>
  documents.map((text) => `apiVersion: setpoint.dev/v1\n${text}\n`).join('---\n');
