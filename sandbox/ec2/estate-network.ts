import { type Cidr, contains, parseCidr } from '../cidr.ts';
import { JsonProblem } from '../json-problem.ts';
import type { VpcForm } from './estate-form.ts';
import { loadGroups } from './estate-groups.ts';
import { idOf, type Loading, named } from './estate-loading.ts';
import type { Ipv6Block, Route, Vpc } from './records.ts';
import { freshId, type Region } from './region.ts';
import { tagsIn } from './sharing.ts';
import { noTags } from './tags.ts';
import { mainRouteTable, makeVpcParts } from './vpc-parts.ts';

export function loadVpc(loading: Loading, form: VpcForm, isDefault: boolean): void {
  const { region, path } = loading;
  const { tags = noTags, dnsHostnames: hostnames = false, subnets = [], routeTables = [], groups = [] } = form;
  const vpc: Vpc = {
    id: named(loading, form.key, form.id ?? freshId(region, 'vpc')),
    tags: tagsIn(form, tags),
    sharedBy: form.sharedBy,
    cidr: blockAt(`${path}.cidr`, form.cidr, 'ipv4').text,
    associationId: freshId(region, 'vpc-cidr-assoc'),
    ipv6: form.ipv6 === undefined ? undefined : ipv6Block(region, blockAt(`${path}.ipv6`, form.ipv6, 'ipv6')),
    isDefault,
    tenancy: 'default',
    dns: { support: true, hostnames, addressMetrics: false },
  };
  region.vpcs.put(vpc);
  makeVpcParts(region, vpc);
  const gatewayId = loadGateway(region, vpc, form);
  loadSubnets(loading, vpc, subnets);
  if (isDefault && gatewayId) addMainRoute(region, vpc.id, gatewayId);
  routeTables.forEach((table, index) => {
    loadRouteTable({ ...loading, path: `${path}.routeTables[${index}]` }, { vpc, gatewayId }, table);
  });
  loadGroups(loading, vpc, groups);
}

function loadGateway(region: Region, vpc: Vpc, { gateway }: VpcForm): string | undefined {
  if (!gateway) return undefined;
  const { id = freshId(region, 'igw'), tags = noTags } = gateway;
  return region.gateways.put({ id, tags, vpcId: vpc.id }).id;
}

function blockAt(path: string, value: string, family: 'ipv4' | 'ipv6'): Cidr {
  const cidr = parseCidr(value, family);
  if (!cidr) throw new JsonProblem(`${path}: "${value}" is not a CIDR block of ${family}`);
  return cidr;
}

function ipv6Block(region: Region, cidr: Cidr): Ipv6Block {
  return { associationId: freshId(region, 'vpc-cidr-assoc'), cidr: cidr.text };
}

function loadSubnets(loading: Loading, vpc: Vpc, forms: NonNullable<VpcForm['subnets']>): void {
  const { region, path } = loading;
  const whole = parseCidr(vpc.cidr, 'ipv4');
  const blocks = forms.map((form, index) => {
    const cidr = parseCidr(form.cidr, 'ipv4');
    const where = `${path}.subnets[${index}].cidr`;
    if (!cidr || !whole || !contains(whole, cidr))
      throw new JsonProblem(`${where}: "${form.cidr}" is no IPv4 CIDR block within ${vpc.cidr}`);
    region.subnets.put({
      id: named(loading, form.key, form.id ?? freshId(region, 'subnet')),
      tags: tagsIn(vpc, form.tags),
      vpcId: vpc.id,
      cidr: cidr.text,
      zone: `${region.name}${form.zone ?? 'a'}`,
      ipv6: undefined,
      defaultForAz: vpc.isDefault,
      onLaunch: { publicIp: form.publicIp ?? false, ipv6: false },
    });
    return { cidr, where };
  });
  const sorted = blocks.toSorted((a, b) => Number(a.cidr.first - b.cidr.first));
  sorted.forEach(({ cidr, where }, index) => {
    const before = sorted[index - 1]?.cidr;
    if (before && before.last >= cidr.first) throw new JsonProblem(`${where}: ${cidr.text} overlaps ${before.text}`);
  });
}

function addMainRoute(region: Region, vpcId: string, gatewayId: string): void {
  const table = region.routeTables.get(mainRouteTable(region, vpcId) ?? '');
  const route: Route = { destination: '0.0.0.0/0', family: 'ipv4', target: gatewayId, origin: 'CreateRoute' };
  if (table) region.routeTables.put({ ...table, routes: [...table.routes, route] });
}

interface Network {
  readonly vpc: Vpc;
  readonly gatewayId: string | undefined;
}

function loadRouteTable(
  loading: Loading,
  { vpc, gatewayId }: Network,
  form: NonNullable<VpcForm['routeTables']>[number],
): void {
  const { region, path } = loading;
  const local: Route = { destination: vpc.cidr, family: 'ipv4', target: 'local', origin: 'CreateRouteTable' };
  const routes = (form.routes ?? []).map(({ to, via }, index): Route => {
    const family = to.includes(':') ? 'ipv6' : 'ipv4';
    const cidr = parseCidr(to, family);
    const target = via === 'gateway' ? gatewayId : via;
    if (!cidr || !target)
      throw new JsonProblem(
        `${path}.routes[${index}]: a CIDR block, and "gateway" (which the VPC must have) or an id, are needed`,
      );
    return { destination: cidr.text, family, target, origin: 'CreateRoute' };
  });
  region.routeTables.put({
    id: form.id ?? freshId(region, 'rtb'),
    tags: form.tags ?? noTags,
    vpcId: vpc.id,
    routes: [local, ...routes],
    associations: (form.subnets ?? []).map((key) => ({
      id: freshId(region, 'rtbassoc'),
      subnetId: idOf(loading, key),
    })),
  });
}

/** https://docs.aws.amazon.com/vpc/latest/userguide/default-vpc-components.html */
export function defaultVpc(region: Region): VpcForm {
  const absent = { id: undefined, tags: undefined };
  const subnets = (['a', 'b', 'c'] as const).map((zone, index) => ({
    ...absent,
    key: `default-${region.name}${zone}`,
    cidr: `172.31.${index * 16}.0/20`,
    zone,
    publicIp: true,
  }));
  return {
    ...absent,
    key: 'default',
    cidr: '172.31.0.0/16',
    ipv6: undefined,
    sharedBy: undefined,
    dnsHostnames: true,
    gateway: absent,
    subnets,
    routeTables: undefined,
    groups: undefined,
  };
}
