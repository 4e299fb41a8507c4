import type { Control } from '../../sandbox/control.ts';
import type { GroupRule, Instance, Tags } from '../../sandbox/ec2/records.ts';
import type { Region } from '../../sandbox/ec2/region.ts';

/** A VPC is born with a group, a table and an ACL, which are its own. Machines that were terminated do not count. */
export function censusOfAws({ ec2 }: Control): readonly string[] {
  const region = ec2.region('111122223333', 'eu-west-1');
  const vpc = (id: string): string => nameOf(region.vpcs.get(id)?.tags);
  const live = [...region.instances.values()].filter(({ power }) => power.state !== 'terminated');
  const machine = (id: string | undefined): string => {
    const found = live.find((each) => each.id === id);
    return found ? machineName(found) : 'nothing';
  };
  return [
    ...[...region.vpcs.values()].map(({ tags, cidr }) => `vpc ${nameOf(tags)} ${cidr} env=${tags.get('env')}`),
    ...[...region.gateways.values()].map(({ vpcId = '' }) => `gateway of ${vpc(vpcId)}`),
    ...[...region.routeTables.values()].map(
      ({ vpcId, routes, associations }) =>
        `table of ${vpc(vpcId)}: ${routes.map(({ destination }) => destination).toSorted()}; ${associations.map(({ subnetId }) => (subnetId === undefined ? 'main' : nameOf(region.subnets.get(subnetId)?.tags))).toSorted()}`,
    ),
    ...[...region.subnets.values()].map(({ tags, cidr, vpcId }) => `subnet ${nameOf(tags)} ${cidr} of ${vpc(vpcId)}`),
    ...[...region.groups.values()].map(({ name, vpcId }) => `group ${name} of ${vpc(vpcId)}`),
    ...[...region.rules.values()].map((rule) => ruleLine(rule, region)),
    ...live.map(
      (each) =>
        `machine ${machineName(each)} ${each.size.type} ${each.launch.imageId} ${each.power.state} tier=${each.tags.get('tier')}`,
    ),
    ...[...region.volumes.values()].map(({ attachment }) => `volume of ${machine(attachment?.instanceId)}`),
    ...[...region.interfaces.values()].map(({ attachment }) => `interface of ${machine(attachment?.instanceId)}`),
  ];
}

const nameOf = (tags: Tags | undefined): string => tags?.get('Name') ?? 'nobody';

/** Machines launched together bear the name of their document, and are told by their place in it. */
const machineName = ({ tags, launch }: Instance): string =>
  /-\d+$/.test(nameOf(tags)) ? nameOf(tags) : `${nameOf(tags)}-${Number(tags.get('setpoint:first')) + launch.index}`;

function ruleLine({ groupId, egress, traffic, peer, description }: GroupRule, region: Region): string {
  const ports = traffic.protocol === '-1' ? 'all' : `${traffic.protocol} ${traffic.from}-${traffic.to}`;
  const said = description === undefined ? '' : ` "${description}"`;
  return `rule ${groupName(groupId, region)} ${egress ? 'to' : 'from'} ${peerName(peer, region)} ${ports}${said}`;
}

function groupName(id: string, region: Region): string {
  const group = region.groups.get(id);
  return `${group?.name} of ${nameOf(region.vpcs.get(group?.vpcId ?? '')?.tags)}`;
}

function peerName(peer: GroupRule['peer'], region: Region): string {
  switch (peer.kind) {
    case 'group':
      return groupName(peer.groupId, region);
    case 'prefix-list':
      return peer.prefixListId;
    case 'ipv4':
    case 'ipv6':
      return peer.cidr;
  }
}
