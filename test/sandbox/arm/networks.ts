import assert from 'node:assert/strict';
import { type Bench, LOCATION, NETWORK, networkBody, outcome, subnetBody } from './bench.ts';

export const CORE = `${NETWORK}/virtualNetworks/core`;
export const NIC = `${NETWORK}/networkInterfaces/nic`;

export const app = subnetBody('App', '10.0.1.0/24');
export const db = subnetBody('db', '10.0.2.0/24');

/** PUT of the network `core`. */
export async function put(made: Bench, subnets?: readonly object[], more: object = {}): Promise<string> {
  return outcome(await made.send('PUT', CORE, { body: networkBody(more, subnets) }));
}

/** A network interface in the subnet, so that this is in use. */
export async function putInterface(made: Bench, subnet: string, more: object = {}): Promise<void> {
  const configuration = { name: 'ip', properties: { subnet: { id: subnet }, ...more } };
  const body = { location: LOCATION, properties: { ipConfigurations: [configuration] } };
  assert.equal(outcome(await made.send('PUT', NIC, { body })), '201');
}

export async function names({ network }: Bench): Promise<unknown> {
  return (await network.virtualNetworks.get('rg', 'core')).subnets?.map(({ name }) => name);
}
