import { markTags } from '../../providers/aws/marks.ts';
import type { Desired } from '../../src/core/desired.ts';
import type { Address, Kind } from '../../src/core/resource.ts';
import { bootScript } from './specs.ts';

/** Where and whose what stands is. */
export interface Owner {
  readonly account: string;
  readonly region: string;
  readonly estate: string;
  readonly store: string;
}

/** What a sandbox loads (`sandbox/ec2/estate-form.ts`) so that all of this stands there as if we had made it long ago. */
export function standing(desired: readonly Desired[], owner: Owner): unknown {
  const { account, region } = owner;
  const all = kindsOf(desired);
  return {
    regions: [
      {
        account,
        region,
        vpcs: all.network.map((network) => vpc(network, all, owner)),
        instances: all.instance.map((one) => instance(one, owner)),
      },
    ],
  };
}

type ByKind = { readonly [K in Kind]: readonly Desired<K>[] };

function kindsOf(desired: readonly Desired[]): ByKind {
  const of = <K extends Kind>(kind: K) => desired.filter((one): one is Desired<K> => one.kind === kind);
  return {
    network: of('network'),
    subnet: of('subnet'),
    group: of('group'),
    'firewall-rule': of('firewall-rule'),
    instance: of('instance'),
  };
}

function vpc({ address, name, attributes, terms }: Desired<'network'>, all: ByKind, owner: Owner) {
  const tags = { Name: name, ...attributes.labels, ...tagsOf(address, terms, owner) };
  const inside = <K extends 'subnet' | 'group'>(some: readonly Desired<K>[]) =>
    some.filter((one) => one.attributes.network === address);
  const subnets = inside(all.subnet);
  const public_ = subnets.filter((one) => one.attributes.internet === true);
  const internet = attributes.internet === true;
  return {
    key: keyOf(address),
    cidr: attributes.cidr,
    tags,
    ...(internet ? { gateway: { tags: { ...tags, 'setpoint:part': 'internet-gateway' } } } : {}),
    routeTables: internet
      ? [
          {
            tags: { ...tags, 'setpoint:part': 'route-table' },
            subnets: public_.map((one) => keyOf(one.address)),
            routes: [{ to: '0.0.0.0/0', via: 'gateway' }],
          },
        ]
      : [],
    subnets: subnets.map((one) => ({
      key: keyOf(one.address),
      cidr: one.attributes.cidr,
      tags: { Name: one.name, ...one.attributes.labels, ...tagsOf(one.address, one.terms, owner) },
    })),
    groups: inside(all.group).map((one) => group(one, all, owner)),
  };
}

function group({ address, name, attributes, terms }: Desired<'group'>, all: ByKind, owner: Owner) {
  const rules = all['firewall-rule'].filter((one) => one.attributes.group === address);
  return {
    key: keyOf(address),
    name,
    tags: { Name: name, ...attributes.labels, ...tagsOf(address, terms, owner) },
    ingress: rules
      .filter(({ attributes: { match } }) => match.direction === 'ingress')
      .map(({ attributes: { match, description } }) => ({
        protocol: match.protocol,
        ports: match.ports,
        peers: match.peers,
        description,
      })),
  };
}

function instance({ address, name, attributes, terms }: Desired<'instance'>, owner: Owner) {
  const { placement, machine, boot, disk, labels } = attributes;
  const mark = { estate: owner.estate, store: owner.store, address, deletionPolicy: terms.deletionPolicy };
  const launched = {
    'user-data': boot?.userData ?? '',
    access: boot?.access ?? '',
    'public-ip': `${placement.publicIp}`,
  };
  return {
    subnet: keyOf(placement.subnet),
    groups: (attributes.groups ?? []).map(keyOf),
    image: machine.image,
    size: machine.size,
    tags: { Name: name, ...labels, ...markTags(mark, launched) },
    disk: { size: disk?.size, type: disk?.type, encrypted: disk?.encrypted },
    ...(boot?.userData === undefined ? {} : { userData: Buffer.from(bootScript.text).toString('base64') }),
  };
}

const tagsOf = (address: Address, { deletionPolicy }: Desired['terms'], { estate, store }: Owner) =>
  markTags({ estate, store, address, deletionPolicy });

const keyOf = (address: Address): string => address.replaceAll('/', '.');
