import type { Result } from '../../src/core/failure.ts';
import type { CloudId } from '../../src/core/resource.ts';
import type { Call } from '../../src/ports/provider.ts';
import { placeOf } from './cloud-id.ts';
import { regionOfZone } from './links.ts';
import type { Disk, Firewall, Instance, Network, Subnetwork } from './messages.ts';
import type { Scope } from './scope.ts';

/** One object by its id or path. The cloud knows it by name and place: whether the number is the same is for the caller to see. */
export const getNetwork = (id: CloudId, { client, project }: Scope, call: Call): Promise<Result<Network>> =>
  client.read('networks.get', call, (sdk, options) =>
    sdk.networks().get({ project, network: placeOf(id).name }, options),
  );

export const getFirewall = (id: CloudId, { client, project }: Scope, call: Call): Promise<Result<Firewall>> =>
  client.read('firewalls.get', call, (sdk, options) =>
    sdk.firewalls().get({ project, firewall: placeOf(id).name }, options),
  );

export function getSubnetwork(id: CloudId, { client, project }: Scope, call: Call): Promise<Result<Subnetwork>> {
  const { location: region = '', name: subnetwork } = placeOf(id);
  return client.read({ action: 'subnetworks.get', region }, call, (sdk, options) =>
    sdk.subnetworks().get({ project, region, subnetwork }, options),
  );
}

export function getInstance(id: CloudId, { client, project }: Scope, call: Call): Promise<Result<Instance>> {
  const { location: zone = '', name: instance } = placeOf(id);
  return client.read({ action: 'instances.get', region: regionOfZone(zone) }, call, (sdk, options) =>
    sdk.instances().get({ project, zone, instance }, options),
  );
}

export function getDisk(id: CloudId, { client, project }: Scope, call: Call): Promise<Result<Disk>> {
  const { location: zone = '', name: disk } = placeOf(id);
  return client.read({ action: 'disks.get', region: regionOfZone(zone) }, call, (sdk, options) =>
    sdk.disks().get({ project, zone, disk }, options),
  );
}
