import { ipv6Forms, orders, respell, type Spelling, type SpellingRow } from '../spelling.ts';
import { type Element, elementXml, readAnswer } from './xml.ts';

type XmlRow = SpellingRow<Element>;

/** Recorded answers: */
const C7N = 'https://github.com/cloud-custodian/cloud-custodian/tree/main/tests/data/placebo';

const API = 'https://docs.aws.amazon.com/AWSEC2/latest/APIReference';

const NUMBERS: Readonly<Record<string, string>> = { icmp: '1', tcp: '6', udp: '17', icmpv6: '58' };

/** Lists without an order of their own. */
const SETS: ReadonlySet<string> = new Set([
  'ipPermissions',
  'ipPermissionsEgress',
  'ipRanges',
  'ipv6Ranges',
  'prefixListIds',
  'groups',
  'groupSet',
  'tagSet',
  'vpcSet',
  'subnetSet',
  'securityGroupInfo',
  'internetGatewaySet',
  'routeTableSet',
  'routeSet',
  'associationSet',
  'attachmentSet',
  'blockDeviceMapping',
  'networkInterfaceSet',
  'cidrBlockAssociationSet',
  'ipv6CidrBlockAssociationSet',
  'natGatewaySet',
  'vpcPeeringConnectionSet',
  'cidrBlockSet',
]);

/** Empty lists that some recorded answers leave out: `Ipv6Ranges` 19 of 186 times, `Tags` of a group 128 of 196 times. */
const EMPTY: ReadonlySet<string> = new Set([
  'ipRanges',
  'ipv6Ranges',
  'prefixListIds',
  'groups',
  'tagSet',
  'ipPermissions',
  'ipPermissionsEgress',
  'ipv6CidrBlockAssociationSet',
  'propagatingVgwSet',
]);

/** Fields that the older of the recorded answers lack, by the field that their object is known by. */
const YOUNGER: Readonly<Record<string, readonly string[]>> = {
  vpcSet: ['ownerId', 'cidrBlockAssociationSet'],
  subnetSet: [
    'ownerId',
    'subnetArn',
    'availabilityZoneId',
    'mapCustomerOwnedIpOnLaunch',
    'assignIpv6AddressOnCreation',
    'enableDns64',
    'ipv6Native',
    'privateDnsNameOptionsOnLaunch',
  ],
  securityGroupInfo: ['securityGroupArn'],
  instancesSet: ['enaSupport', 'metadataOptions', 'platformDetails', 'usageOperation'],
  routeTableSet: ['ownerId'],
};

/** Every way in which EC2 says one thing. */
export const EC2_SPELLINGS: readonly XmlRow[] = [
  {
    name: 'a protocol by its number',
    source: `${API}/API_IpPermission.html: the protocol name or number; icmpv6 as 58: https://github.com/hashicorp/terraform-provider-aws/pull/9569`,
    ways: (element) => {
      const number = element.name === 'ipProtocol' ? NUMBERS[element.text] : undefined;
      return number === undefined ? [] : [element, { ...element, text: number }];
    },
  },
  {
    name: 'no ports as -1',
    source: `${API}/API_SecurityGroupRule.html; https://github.com/go-to-k/cdk-real-drift: -1/-1 recorded where all is allowed`,
    ways: (element) => {
      if (inside(element, 'ipProtocol') === undefined || inside(element, 'fromPort') !== undefined) return [];
      return [element, { ...element, inner: [...element.inner, leaf('fromPort', '-1'), leaf('toPort', '-1')] }];
    },
  },
  {
    name: 'host bits, as in rules from before EC2 cleared them',
    source: `${C7N}/test_appelb_add_security_group: 192.168.0.1/31`,
    ways: (element) => {
      const [, start, last = '', mask] = (element.name === 'cidrIp' && /^(.*\.)(\d+)\/(\d+)$/.exec(element.text)) || [];
      if (start === undefined || Number(last) % 2 === 1 || Number(mask) < 8 || Number(mask) > 31) return [];
      return [element, { ...element, text: `${start}${Number(last) + 1}/${mask}` }];
    },
  },
  {
    name: 'an IPv6 block with all its groups, or in capitals',
    source:
      'https://www.rfc-editor.org/rfc/rfc5952#section-1; https://github.com/hashicorp/terraform-provider-aws/pull/25588',
    ways: (element) =>
      /^(?:cidrIpv6|ipv6CidrBlock|destinationIpv6CidrBlock)$/.test(element.name)
        ? ipv6Forms(element.text).map((text) => ({ ...element, text }))
        : [],
  },
  {
    name: 'lists in another order',
    source: 'https://github.com/hashicorp/terraform-provider-aws: schema.TypeSet; no order is documented',
    ways: (element) => (SETS.has(element.name) ? orders(element.inner).map((inner) => ({ ...element, inner })) : []),
  },
  {
    name: 'a permission for each of its sources',
    source:
      'https://github.com/hashicorp/terraform-provider-aws, vpc_security_group.go: one rule, or one for each source',
    ways: (element) =>
      /^ipPermissions(?:Egress)?$/.test(element.name)
        ? [element, { ...element, inner: element.inner.flatMap(apart) }]
        : [],
  },
  {
    name: 'a group pair with the name of its group',
    source: `${API}/API_UserIdGroupPair.html; ${C7N}: PeeringStatus, VpcId`,
    ways: (element, key) => {
      if (key !== 'groups[]' || inside(element, 'userId') === undefined) return [];
      return [element, { ...element, inner: [...element.inner, leaf('groupName', 'as-it-is-called')] }];
    },
  },
  {
    name: 'empty lists left out',
    source: `${C7N}: Ipv6Ranges, Tags`,
    ways: (element) => (EMPTY.has(element.name) && element.inner.length === 0 ? [element, undefined] : []),
  },
  {
    name: 'fields that older answers lack left out',
    source: `${C7N}: OwnerId in 17 of 47 VPCs, SubnetArn in 46 of 61 subnets`,
    ways: (element, key) => {
      const younger = YOUNGER[key.replace('[]', '')];
      if (younger === undefined || !key.endsWith('[]')) return [];
      // why: answers without the list are from before a VPC could have a second block
      const isOld = ({ name, inner }: Element): boolean =>
        younger.includes(name) && !(name === 'cidrBlockAssociationSet' && inner.length > 1);
      return [element, { ...element, inner: element.inner.filter((field) => !isOld(field)) }];
    },
  },
];

/** The inside of an answer, respelled from the outside in. */
export function respellXml(xml: string, spelling: Spelling): string {
  const said = (element: Element, key: string, object: string): readonly Element[] => {
    const next = respell(element, { key, object }, EC2_SPELLINGS, spelling);
    if (next === undefined) return [];
    const owner = idIn(next) ?? object;
    const inner = next.inner.flatMap((each) => said(each, each.name === 'item' ? `${next.name}[]` : each.name, owner));
    return [{ ...next, inner }];
  };
  return readAnswer(`<answer>${xml}</answer>`)
    .inner.flatMap((element) => said(element, element.name, ''))
    .map(elementXml)
    .join('');
}

const SOURCES: ReadonlySet<string> = new Set(['ipRanges', 'ipv6Ranges', 'prefixListIds', 'groups']);

function apart(permission: Element): readonly Element[] {
  const traffic = permission.inner.filter(({ name }) => !SOURCES.has(name));
  return permission.inner
    .filter(({ name }) => SOURCES.has(name))
    .flatMap((sources) =>
      sources.inner.map((item) => ({ ...permission, inner: [...traffic, { ...sources, inner: [item] }] })),
    );
}

function inside(element: Element, name: string): Element | undefined {
  return element.inner.find((each) => each.name === name);
}

function leaf(name: string, text: string): Element {
  return { name, text, inner: [] };
}

function idIn({ inner }: Element): string | undefined {
  return inner.find(({ name }) =>
    /^(?:vpc|subnet|group|instance|internetGateway|routeTable|securityGroupRule)Id$/.test(name),
  )?.text;
}
