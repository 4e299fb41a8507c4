import { invalid } from './errors.ts';
import { checkedAddress } from './instance-addresses.ts';
import type { NicMessage } from './instance-nic-message.ts';
import type { AccessConfig } from './instance-records.ts';
import { nameIn } from './place.ts';
import type { Project } from './project.ts';
import type { Subnetwork } from './records.ts';
import { referenced } from './resource.ts';
import { zoneNamed } from './zones.ts';

/** Where a machine is to be put into a network. */
export interface NicPlan {
  readonly subnetwork: Subnetwork;
  readonly wanted: string | undefined;
  readonly access: AccessConfig | undefined;
}

type AccessMessage = NonNullable<NicMessage['accessConfigs']>[number];

/** Throws what a request is refused with at once. The sandbox models one interface a machine. */
export function nicPlan(project: Project, zone: string, given: readonly NicMessage[] | undefined): NicPlan {
  const [nic, ...more] = given ?? [];
  const field = 'resource.networkInterfaces';
  if (!nic) throw invalid(field, '', 'At least one network interface is required.');
  if (more.length > 0)
    throw invalid(field, `${more.length + 1} interfaces`, 'The sandbox models only one: leave the others out.');
  const at = `${field}[0]`;
  const subnetwork = subnetworkOf(project, zone, nic);
  return {
    subnetwork,
    wanted: nic.networkIP ? checkedAddress(subnetwork, nic.networkIP, `${at}.networkIP`) : undefined,
    access: accessOf(nic.accessConfigs, at),
  };
}

function subnetworkOf(project: Project, zone: string, { network, subnetwork }: NicMessage): Subnetwork {
  const at = 'resource.networkInterfaces[0]';
  const wanted = network
    ? referenced(
        project,
        { table: project.networks, collection: 'networks' },
        { value: network, field: `${at}.network` },
      )
    : undefined;
  // The sandbox's networks are custom: https://docs.cloud.google.com/vpc/docs/vpc#subnet-ranges
  if (!subnetwork) throw invalid(at, network ?? '', 'Subnetwork should be specified for custom subnetmode network');
  const field = `${at}.subnetwork`;
  const place = { table: project.subnetworks, collection: 'subnetworks' };
  const found = referenced(project, place, { value: subnetwork, field });
  if (nameIn(found.scope) !== zoneNamed(zone)?.region)
    throw invalid(field, subnetwork, `The subnetwork must be in the region of zone ${zone}.`);
  if (wanted && found.network !== wanted.id)
    throw invalid(field, subnetwork, `The specified subnetwork is not in network '${network}'.`);
  return found;
}

function accessOf(given: readonly AccessMessage[] | undefined, at: string): AccessConfig | undefined {
  const [access, ...more] = given ?? [];
  if (more.length > 0) throw invalid(`${at}.accessConfigs`, '', 'At most one access config currently supported.');
  return access && accessConfig(access);
}

/** Defaults of an access config, as the discovery document has them. */
export function accessConfig({ name, networkTier }: AccessMessage): AccessConfig {
  return { name: name || 'External NAT', tier: networkTier ?? 'PREMIUM', natIp: undefined };
}
