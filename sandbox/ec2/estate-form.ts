import { listOf, mapOf, object, oneOf, optional, pattern, type Reader, scalar } from '../json.ts';

/**
 * The contents of accounts, as a file gives them. Every field is optional unless its line says "required".
 *
 * ```json
 * { "regions": [{
 *   "account": "111122223333", "region": "eu-west-1",          required
 *   "defaultVpc": true,                                        as AWS makes it, with a subnet in each zone
 *   "images": [{ "id": "ami-…", "name": "…", "rootSize": 8 }],
 *   "vpcs": [{
 *     "key": "core", "cidr": "10.0.0.0/16",                    required
 *     "sharedBy": "444455556666",                              another account shares it, and all in it, through RAM
 *     "id": "vpc-…", "tags": { "Name": "core" }, "dnsHostnames": true, "ipv6": "2600:1f18:…::/56",
 *     "gateway": { "id": "igw-…", "tags": {} },
 *     "subnets": [{ "key": "app", "cidr": "10.0.1.0/24", "zone": "a", "id": "…", "tags": {}, "publicIp": true }],
 *     "routeTables": [{ "id": "…", "tags": {}, "subnets": ["app"], "routes": [{ "to": "0.0.0.0/0", "via": "gateway" }] }],
 *     "groups": [{ "key": "web", "name": "web", "description": "…", "id": "…", "tags": {},
 *       "ingress": [{ "protocol": "tcp", "ports": "443", "peers": ["0.0.0.0/0", "web", "pl-…"], "description": "…", "tags": {} }],
 *       "egress": [] }]                                        left out: everything out, as AWS has it
 *   }],
 *   "instances": [{ "subnet": "app", "groups": ["web"],        required; by key or id
 *     "count": 3, "id": "i-…", "image": "ami-…", "size": "t3.small", "state": "stopped", "tags": {}, "clientToken": "…",
 *     "disk": { "size": 20, "type": "gp3", "encrypted": true, "tags": {} }, "userData": "base64", "profile": "name",
 *     "publicIp": true, "protect": true, "keyName": "…", "interfaceTags": {} }],
 *   "interfaces": [{ "subnet": "app", "groups": ["web"], "description": "ELB app/x", "requester": "amazon-elb",
 *     "type": "interface", "id": "…", "tags": {}, "publicIp": true }]
 * }] }
 * ```
 *
 * Keys name things within their region; a tag may begin with `aws:`, as those of services do.
 */
const text = scalar('string');

const number = scalar('number');

const flag = scalar('boolean');

const tags = optional(mapOf(text));

const keyed = { key: pattern(/^[\w.-]+$/, 'a key of letters, digits, . _ -'), tags };

const id = (prefix: string): Reader<string | undefined> =>
  optional(
    pattern(new RegExp(`^${prefix}-(?:[0-9a-f]{8}|[0-9a-f]{17})$`), `an id such as ${prefix}-0123456789abcdef0`),
  );

const image = object({
  id: pattern(/^ami-(?:[0-9a-f]{8}|[0-9a-f]{17})$/, 'an image id'),
  name: optional(text),
  architecture: optional(oneOf('x86_64', 'arm64')),
  rootDevice: optional(text),
  rootSize: optional(number),
  owner: optional(text),
});

const rule = object({
  protocol: text,
  ports: optional(pattern(/^-?\d+(?:-\d+|\/-?\d+)?$/, 'a port, a range such as 80-90, or an ICMP type/code')),
  peers: listOf(text),
  description: optional(text),
  tags,
});

const group = object({
  ...keyed,
  id: id('sg'),
  name: optional(text),
  description: optional(text),
  ingress: optional(listOf(rule)),
  egress: optional(listOf(rule)),
});

const vpc = object({
  ...keyed,
  id: id('vpc'),
  cidr: text,
  ipv6: optional(text),
  sharedBy: optional(pattern(/^\d{12}$/, 'twelve digits')),
  dnsHostnames: optional(flag),
  gateway: optional(object({ id: id('igw'), tags })),
  subnets: optional(
    listOf(
      object({
        ...keyed,
        id: id('subnet'),
        cidr: text,
        zone: optional(oneOf('a', 'b', 'c')),
        publicIp: optional(flag),
      }),
    ),
  ),
  routeTables: optional(
    listOf(
      object({
        id: id('rtb'),
        tags,
        subnets: optional(listOf(text)),
        routes: optional(listOf(object({ to: text, via: text }))),
      }),
    ),
  ),
  groups: optional(listOf(group)),
});

const instance = object({
  id: id('i'),
  count: optional(number),
  subnet: text,
  groups: listOf(text),
  image: optional(text),
  size: optional(text),
  state: optional(oneOf('running', 'stopped', 'terminated')),
  tags,
  clientToken: optional(text),
  disk: optional(object({ size: optional(number), type: optional(text), encrypted: optional(flag), tags })),
  userData: optional(text),
  profile: optional(text),
  publicIp: optional(flag),
  protect: optional(flag),
  keyName: optional(text),
  interfaceTags: tags,
});

const loneInterface = object({
  id: id('eni'),
  subnet: text,
  groups: listOf(text),
  description: optional(text),
  requester: optional(text),
  type: optional(text),
  publicIp: optional(flag),
  tags,
});

const region = object({
  account: pattern(/^\d{12}$/, 'twelve digits'),
  region: pattern(/^[a-z]{2}(?:-[a-z]+)+-\d$/, 'a region such as eu-west-1'),
  defaultVpc: optional(flag),
  images: optional(listOf(image)),
  vpcs: optional(listOf(vpc)),
  instances: optional(listOf(instance)),
  interfaces: optional(listOf(loneInterface)),
});

export const readEstate = object({ regions: listOf(region) });

export type RegionForm = ReturnType<typeof region>;

export type VpcForm = ReturnType<typeof vpc>;

export type GroupForm = ReturnType<typeof group>;

export type InstanceForm = ReturnType<typeof instance>;

export type InterfaceForm = ReturnType<typeof loneInterface>;
