import {
  ipv6Forms,
  isObject,
  isTexts,
  type JsonRow,
  type JsonTable,
  maskless,
  orders,
  portForms,
  withFields,
} from '../spelling.ts';
import { BASE } from './place.ts';

const FIREWALLS = 'https://docs.cloud.google.com/compute/docs/reference/rest/v1/firewalls';

/** Google's own controller, which compares what the API answers: */
const INGRESS_GCE = 'https://github.com/kubernetes/ingress-gce/blob/master/pkg/firewalls/equal_test.go';

const C7N = 'https://github.com/cloud-custodian/cloud-custodian/tree/main/tools/c7n_gcp/tests/data/flights';

const KCC = 'https://github.com/GoogleCloudPlatform/k8s-config-connector (_http.log of its tests)';

const NUMBERS: Readonly<Record<string, string>> = { icmp: '1', tcp: '6', udp: '17', esp: '50', ah: '51', sctp: '132' };

/** Lists without an order of their own. */
const SETS: ReadonlySet<string> = new Set([
  'sourceRanges',
  'destinationRanges',
  'sourceTags',
  'targetTags',
  'sourceServiceAccounts',
  'targetServiceAccounts',
  'allowed',
  'denied',
  'ports',
  'subnetworks',
  'scopes',
  'licenses',
  'secondaryIpRanges',
  'nats',
  'peerings',
]);

/** Links to the object itself, which are always whole. */
const OWN_LINKS: ReadonlySet<string> = new Set(['selfLink', 'selfLinkWithId', 'targetLink']);

const range = (key: string): boolean => key === 'sourceRanges[]' || key === 'destinationRanges[]';

const IPV6_BLOCKS: ReadonlySet<string> = new Set(['internalIpv6Range', 'internalIpv6Prefix', 'externalIpv6Prefix']);

/** Answers leave these fields out at their usual value, by the recorded objects of each kind. */
const LEFT_OUT: readonly (readonly [kind: string, field: string, usual: unknown])[] = [
  ['firewall', 'logConfig', { enable: false }],
  ['instance', 'canIpForward', false],
  ['instance', 'deletionProtection', false],
  ['instance', 'startRestricted', false],
  ['instance', 'description', ''],
  ['subnetwork', 'logConfig', { enable: false }],
  ['subnetwork', 'stackType', 'IPV4_ONLY'],
  ['subnetwork', 'purpose', 'PRIVATE'],
  ['subnetwork', 'privateIpv6GoogleAccess', 'DISABLE_GOOGLE_ACCESS'],
  ['network', 'networkFirewallPolicyEnforcementOrder', 'AFTER_CLASSIC_FIREWALL'],
  ['network', 'mtu', 1460],
];

/** Lists that are absent where they are empty, and in other answers there: [kind, field]. */
const EMPTY: readonly (readonly [kind: string, field: string])[] = [
  ['firewall', 'sourceTags'],
  ['firewall', 'targetTags'],
  ['firewall', 'sourceServiceAccounts'],
  ['firewall', 'targetServiceAccounts'],
  ['network', 'subnetworks'],
  ['network', 'peerings'],
  ['subnetwork', 'secondaryIpRanges'],
  ['router', 'nats'],
  ['instance', 'serviceAccounts'],
  ['networkInterface', 'accessConfigs'],
];

/** Every way in which Compute Engine says one thing. */
const COMPUTE_SPELLINGS: readonly JsonRow[] = [
  {
    name: 'one address without its mask',
    source: `${C7N}: sourceRanges 1.1.1.1, 130.41.238.42`,
    ways: (value, key) => (range(key) && typeof value === 'string' ? maskless(value) : []),
  },
  {
    name: 'an IPv6 block with all its groups, or in capitals',
    source: `${INGRESS_GCE}; ${KCC}: internalIpv6Range fd20:eb5:88a:0:0:0:0:0/48`,
    ways: (value, key) => ((range(key) || IPV6_BLOCKS.has(key)) && typeof value === 'string' ? ipv6Forms(value) : []),
  },
  {
    name: 'a protocol in capitals, or by its number',
    source: `${INGRESS_GCE}; ${FIREWALLS}: a well known protocol string or the IP protocol number`,
    ways: (value, key) => {
      if (key !== 'IPProtocol' || typeof value !== 'string') return [];
      const number = NUMBERS[value];
      return [value, value.toUpperCase(), ...(number === undefined ? [] : [number])];
    },
  },
  {
    name: 'a port as a range of one',
    source: `${FIREWALLS}: an integer or a range`,
    ways: (value, key) => (key === 'ports[]' && typeof value === 'string' ? portForms(value) : []),
  },
  {
    name: 'an entry for each port',
    source: 'gcloud compute firewall-rules create --allow=tcp:80,tcp:443 stores two entries (gcloud 528)',
    ways: (value, key) =>
      (key === 'allowed' || key === 'denied') && Array.isArray(value) ? [value, apart(value)] : [],
  },
  {
    name: 'lists in another order',
    source: `${INGRESS_GCE}; https://github.com/hashicorp/terraform-provider-google: schema.TypeSet`,
    ways: (value, key) => (SETS.has(key) && Array.isArray(value) ? orders(value) : []),
  },
  {
    name: 'network tags and metadata in another order',
    source: `${C7N}: items of tags and of metadata`,
    ways: (value, key) => (key === 'items' && isMarks(value) ? orders(value) : []),
  },
  {
    name: 'a link to the beta API, or to another host',
    source:
      'https://docs.cloud.google.com/compute/docs/reference/rest/beta and https://docs.cloud.google.com/compute/docs/reference/rest/v1: host compute.googleapis.com',
    ways: (value, key) => {
      if (key === 'value' || typeof value !== 'string' || !value.startsWith(`${BASE}projects/`)) return [];
      const path = value.slice(BASE.length);
      return [
        value,
        `https://www.googleapis.com/compute/beta/${path}`,
        `https://compute.googleapis.com/compute/v1/${path}`,
        ...(OWN_LINKS.has(key) ? [] : [path]),
      ];
    },
  },
  {
    name: 'a machine type without its project, or by its name',
    source: `${KCC}: zones/us-west1-a/machineTypes/n1-standard-2, n1-standard-1`,
    ways: (value, key) => {
      const [, zonal, name] =
        (key === 'machineType' && /(zones\/[^/]+\/machineTypes\/([^/]+))$/.exec(String(value))) || [];
      return zonal === undefined || name === undefined ? [] : [value, zonal, name];
    },
  },
  {
    name: 'usual values left out',
    source: `${C7N} and ${KCC}: absent from some of the recorded objects of the kind`,
    ways: (value) => {
      if (!isObject(value)) return [];
      const usual = LEFT_OUT.filter(
        ([kind, field, as]) => isKind(value, kind) && JSON.stringify(value[field]) === JSON.stringify(as),
      );
      return usual.length === 0
        ? []
        : [value, withFields(value, Object.fromEntries(usual.map(([, field]) => [field, undefined])))];
    },
  },
  {
    name: 'empty lists and empty labels instead of none',
    source: `https://protobuf.dev/programming-guides/json/: absent and empty are one; ${C7N}: tags without items`,
    ways: (value) => {
      if (!isObject(value)) return [];
      const absent = EMPTY.filter(([kind, field]) => isKind(value, kind) && value[field] === undefined);
      return absent.length === 0
        ? []
        : [value, withFields(value, Object.fromEntries(absent.map(([, field]) => [field, []])))];
    },
  },
];

function isKind(value: Readonly<Record<string, unknown>>, kind: string): boolean {
  return value['kind'] === `compute#${kind}`;
}

/** Tags and metadata, not the members of a page: their order is the page token's. */
function isMarks(value: unknown): value is readonly unknown[] {
  return isTexts(value) || (Array.isArray(value) && value.every((each) => isObject(each) && 'key' in each));
}

function apart(entries: readonly unknown[]): readonly unknown[] {
  return entries.flatMap((entry) =>
    isObject(entry) && isTexts(entry['ports']) ? entry['ports'].map((port) => ({ ...entry, ports: [port] })) : [entry],
  );
}

export const COMPUTE_TABLE: JsonTable = {
  rows: COMPUTE_SPELLINGS,
  opaque: new Set(['labels', 'description']),
  idOf: (object) => ('selfLink' in object && typeof object.selfLink === 'string' ? object.selfLink : undefined),
};
