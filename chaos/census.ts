import type { NetworkSecurityGroup, SecurityRule } from '../sandbox/arm/records.ts';
import type { Firewall } from '../sandbox/compute/records.ts';
import type { Control } from '../sandbox/control.ts';
import type { GroupRule, Instance, Tags } from '../sandbox/ec2/records.ts';
import type { Region } from '../sandbox/ec2/region.ts';
import type { TrialCloud, Wanted } from './specs.ts';

/** All that an account holds, by the sandbox's own word: one line an object, without ids, sorted. Nobody but us is in it. */
export const censusOf = (cloud: TrialCloud, control: Control): readonly string[] => takers[cloud](control).toSorted();

const takers: Readonly<Record<TrialCloud, (control: Control) => readonly string[]>> = {
  aws: censusOfAws,
  gcp: censusOfGcp,
  azure: censusOfAzure,
};

/** Lines that one list has more often than the other: `+ …` should not be there, `- …` is missing. */
export function differences(found: readonly string[], wanted: readonly string[]): readonly string[] {
  const more = without(found, wanted).map((line) => `+ ${line}`);
  const less = without(wanted, found).map((line) => `- ${line}`);
  return [...more, ...less];
}

function without(lines: readonly string[], others: readonly string[]): readonly string[] {
  const left = [...others];
  return lines.filter((line) => {
    const at = left.indexOf(line);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

/** A VPC is born with a group, a table and an ACL, which are its own. Machines that were terminated do not count. */
function censusOfAws({ ec2 }: Control): readonly string[] {
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
    ...[...region.rules.values()].map((rule) => awsRuleLine(rule, region)),
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

function awsRuleLine({ groupId, egress, traffic, peer, description }: GroupRule, region: Region): string {
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

function censusOfAzure({ arm }: Control): readonly string[] {
  const subscription = arm.subscription('11112222-3333-4444-8555-666677778888');
  return [
    ...[...subscription.groups.values()].map(({ path }) => `resource group ${last(path)}`),
    ...[...subscription.networks.values()].flatMap(({ path, addressPrefixes, subnets, tags }) => [
      `network ${last(path)} ${addressPrefixes} env=${tags.get('env')}`,
      ...subnets.map(
        (subnet) =>
          `subnet ${last(subnet.path)} ${subnet.prefixes.list} of ${last(path)} behind ${last(subnet.securityGroup ?? 'nothing')}`,
      ),
    ]),
    ...[...subscription.securityGroups.values()].flatMap((each) => [
      `rules ${last(each.path)}`,
      ...each.rules.map((rule) => azureRuleLine(rule, each)),
    ]),
    ...[...subscription.applicationGroups.values()].map(({ path }) => `group ${last(path)}`),
    ...[...subscription.machines.values()].map(
      ({ path, size, power, tags, storage }) =>
        `machine ${called(last(path))} ${size} ${storage.image.written['publisher']} ${power.state} tier=${tags.get('tier')}`,
    ),
    ...[...subscription.interfaces.values()].map(
      ({ path, machine }) => `interface ${called(last(path))} of ${called(last(machine ?? 'nothing'))}`,
    ),
    ...[...subscription.addresses.values()].map(
      ({ path, usedBy }) => `address ${called(last(path))} ${usedBy === undefined ? 'unused' : 'used'}`,
    ),
    ...[...subscription.disks.values()].map(
      ({ path, machine }) => `disk ${called(last(path))} of ${called(last(machine ?? 'nothing'))}`,
    ),
  ];
}

function azureRuleLine({ path, traffic, source, destination }: SecurityRule, of: NetworkSecurityGroup): string {
  const side = ({ prefix, prefixes, groups }: SecurityRule['source']): string =>
    [prefix ?? '', ...prefixes, ...groups.map(last)]
      .filter((text) => text !== '')
      .toSorted()
      .join();
  const ports = [destination.portRange ?? [], destination.portRanges].flat();
  return `rule ${last(path).replace(/-[0-9a-f]{8}$/, '')} of ${last(of.path)} ${traffic.direction} ${traffic.access} ${traffic.protocol} ${ports} from ${side(source)} to ${side(destination)}`;
}

/** Routes of subnetworks come and go with them; the default route is the network's way to the internet. */
function censusOfGcp({ compute }: Control): readonly string[] {
  const project = compute.project('acme-prod');
  return [
    ...[...project.networks.values()].map(({ name }) => `network ${name}`),
    ...[...project.subnetworks.values()].map(({ name, cidr, network }) => `subnet ${name} ${cidr} of ${last(network)}`),
    ...[...project.routes.values()].map(({ destination, network }) => `route ${destination} of ${last(network)}`),
    ...[...project.firewalls.values()].map(firewallLine),
    ...[...project.instances.values()].map(
      ({ name, hardware, power, marks }) =>
        `machine ${called(name)} ${last(hardware.machineType)} ${power.status} tier=${marks.labels.get('tier')}`,
    ),
    ...[...project.disks.values()].map(
      ({ name, users, source }) =>
        `disk ${called(name)} of ${users.map((user) => called(last(user)))} from ${source?.project}`,
    ),
  ];
}

/** Its name ends in a hash of what cannot change. */
function firewallLine({ name, network, direction, priority, rule }: Firewall): string {
  const traffic = rule.traffic.map(({ protocol, ports = [] }) => `${protocol} ${ports}`);
  const sides = [rule.sources.ranges, rule.sources.tags, rule.destinations, rule.targets.tags].map(
    (list) => list?.toSorted().join() ?? '-',
  );
  return `rule ${name.replace(/-[0-9a-f]{8}$/, '')} of ${last(network)} ${direction} ${rule.action} ${traffic} ${sides.join(' ')} at ${priority}`;
}

/**
 * The name of a machine, or of a part of it, as a census writes it. A successor by surge has a suffix of five characters, which follow
 * from the id of its predecessor: `web-0-k7x2q-nic` → `web-0-*-nic`.
 */
export const called = (name: string): string => name.replace(/^([a-z]+-\d+)-[0-9a-z]{5}(?=$|-)/, '$1-*');

/** The last part of a path. */
const last = (path: string): string => path.split('/').at(-1) ?? path;

/** Values that differ between the states of the specs (specs.ts), in the words of one cloud. */
interface Words {
  readonly size: string;
  readonly image: string;
}

type Stage = Exclude<Wanted, 'nothing'>;

/**
 * Every object that an account holds when the specs of a stage stand there whole: written by hand from the specs and the
 * clouds' documentation, parts and what a cloud makes by itself included. See census.ts.
 */
export const wantedCensus = (cloud: TrialCloud, stage: Stage): readonly string[] => tables[cloud](stage);

/** Machines, with what is asked of them now. */
const machinesAt = (stage: Stage, first: Words, other: Words) =>
  [
    { name: 'db-0', tier: 'db', ...first },
    {
      name: 'web-0',
      tier: stage === 'updated' ? 'front' : 'web',
      size: stage === 'updated' ? other.size : first.size,
      image: stage === 'replaced' || stage === 'surged' ? other.image : first.image,
    },
  ]
    .flatMap((machine) =>
      machine.name === 'web-0' && stage !== 'reduced' ? [machine, { ...machine, name: 'web-1' }] : [machine],
    )
    .concat(stage === 'reduced' ? [] : [{ name: 'bench-0', tier: 'test', ...first }]);

/** For clouds with unique names: a successor has a suffix in its name. */
const machinesByName = (stage: Stage, first: Words, other: Words) =>
  machinesAt(stage, first, other).map((machine) =>
    stage === 'surged' && machine.tier === 'web' ? { ...machine, name: `${machine.name}-*` } : machine,
  );

const env = (stage: Stage): string => (stage === 'updated' ? 'live' : 'prod');

const unless = (gone: boolean, ...lines: readonly string[]): readonly string[] => (gone ? [] : lines);

function aws(stage: Stage): readonly string[] {
  const first = { size: 't3.small', image: 'ami-0abcdef1234567890' };
  const office = stage === 'updated' ? '"the new office"' : '"the office"';
  const reduced = stage === 'reduced';
  const born = (vpc: string): readonly string[] => [
    `gateway of ${vpc}`,
    `group default of ${vpc}`,
    `rule default of ${vpc} from default of ${vpc} all`,
    `rule default of ${vpc} to 0.0.0.0/0 all`,
  ];
  const group = (name: string, vpc: string): readonly string[] => [
    `group ${name} of ${vpc}`,
    `rule ${name} of ${vpc} to 0.0.0.0/0 all`,
  ];
  return [
    `vpc core 10.20.0.0/16 env=${env(stage)}`,
    ...born('core'),
    'table of core: 0.0.0.0/0,10.20.0.0/16; core-app,core-db',
    'table of core: 10.20.0.0/16; main',
    'subnet core-app 10.20.1.0/24 of core',
    'subnet core-db 10.20.2.0/24 of core',
    ...['core-all', 'core-db', 'core-web'].flatMap((name) => group(name, 'core')),
    `rule core-all of core from 203.0.113.0/24 tcp 22-22 ${office}`,
    ...unless(stage !== 'updated', `rule core-all of core from 203.0.113.0/24 tcp 2222-2222 ${office}`),
    'rule core-db of core from core-web of core tcp 5432-5432',
    ...unless(
      reduced,
      'rule core-web of core from 0.0.0.0/0 tcp 443-443',
      'vpc lab 10.30.0.0/16 env=test',
      ...born('lab'),
      'table of lab: 0.0.0.0/0,10.30.0.0/16; lab-bench',
      'table of lab: 10.30.0.0/16; main',
      'subnet lab-bench 10.30.1.0/24 of lab',
      ...['lab-all', 'lab-bench'].flatMap((name) => group(name, 'lab')),
      'rule lab-bench of lab from 198.51.100.0/24 tcp 8080-8080',
    ),
    ...machinesAt(stage, first, { size: 't3.medium', image: 'ami-0abc0abc0abc0abc0' }).flatMap(
      ({ name, size, image, tier }) => [
        `machine ${name} ${size} ${image} running tier=${tier}`,
        `volume of ${name}`,
        `interface of ${name}`,
      ],
    ),
  ];
}

function gcp(stage: Stage): readonly string[] {
  const first = { size: 'e2-small', image: 'debian-cloud' };
  const ports = stage === 'updated' ? '22,2222' : '22';
  return [
    'network core',
    'route 0.0.0.0/0 of core',
    'route 10.20.1.0/24 of core',
    'route 10.20.2.0/24 of core',
    'subnet core-app 10.20.1.0/24 of core',
    'subnet core-db 10.20.2.0/24 of core',
    `rule core-ssh of core INGRESS allow tcp ${ports} 203.0.113.0/24 - - core-all at 1000`,
    'rule core-reads of core INGRESS allow tcp 5432 - core-web - core-db at 1000',
    ...unless(
      stage === 'reduced',
      'rule core-https of core INGRESS allow tcp 443 0.0.0.0/0 - - core-web at 1000',
      'network lab',
      'route 0.0.0.0/0 of lab',
      'route 10.30.1.0/24 of lab',
      'subnet lab-bench 10.30.1.0/24 of lab',
      'rule lab-probe of lab INGRESS allow tcp 8080 198.51.100.0/24 - - lab-bench at 1000',
    ),
    ...machinesByName(stage, first, { size: 'e2-medium', image: 'ubuntu-os-cloud' }).flatMap(
      ({ name, size, image, tier }) => [
        `machine ${name} ${size} RUNNING tier=${tier}`,
        `disk ${name} of ${name} from ${image}`,
      ],
    ),
  ];
}

function azure(stage: Stage): readonly string[] {
  const first = { size: 'Standard_B1ms', image: 'Debian' };
  const ports = stage === 'updated' ? '22,2222' : '22';
  const denied = 'Inbound Deny * * from VirtualNetwork to *';
  return [
    'resource group acme-prod',
    `network core 10.20.0.0/16 env=${env(stage)}`,
    'subnet app 10.20.1.0/24 of core behind core-nsg',
    'subnet db 10.20.2.0/24 of core behind core-nsg',
    'rules core-nsg',
    `rule default-ingress of core-nsg ${denied}`,
    `rule ssh of core-nsg Inbound Allow Tcp ${ports} from 203.0.113.0/24 to core-all`,
    'rule reads of core-nsg Inbound Allow Tcp 5432 from core-web to core-db',
    'group core-all',
    'group core-db',
    'group core-web',
    ...unless(
      stage === 'reduced',
      'rule https of core-nsg Inbound Allow Tcp 443 from 0.0.0.0/0 to core-web',
      'network lab 10.30.0.0/16 env=test',
      'subnet bench 10.30.1.0/24 of lab behind lab-nsg',
      'rules lab-nsg',
      `rule default-ingress of lab-nsg ${denied}`,
      'rule probe of lab-nsg Inbound Allow Tcp 8080 from 198.51.100.0/24 to lab-bench',
      'group lab-all',
      'group lab-bench',
    ),
    ...machinesByName(stage, first, { size: 'Standard_B2s', image: 'Canonical' }).flatMap(
      ({ name, size, image, tier }) => [
        `machine ${name} ${size} ${image} running tier=${tier}`,
        `interface ${name}-nic of ${name}`,
        `address ${name}-ip used`,
        `disk ${name}-disk of ${name}`,
      ],
    ),
  ];
}

const tables: Readonly<Record<TrialCloud, (stage: Stage) => readonly string[]>> = { aws, gcp, azure };
