import { BlockList, isIP } from 'node:net';

/** https://www.iana.org/assignments/iana-ipv4-special-registry and https://www.iana.org/assignments/iana-ipv6-special-registry */
const inner: readonly (readonly [network: string, bits: number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  // shared address space, and the metadata of one cloud
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  // link-local, and the metadata of most clouds
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
  ['::', 127],
  // IPv4 inside IPv6: mapped, translated, 6to4, Teredo
  ['::', 96],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['2001::', 32],
  ['2002::', 16],
  ['fc00::', 7],
  ['fe80::', 9],
  ['ff00::', 8],
];

const blocked = new BlockList();
for (const [network, bits] of inner) blocked.addSubnet(network, bits, isIP(network) === 6 ? 'ipv6' : 'ipv4');

/** Names that mean this machine, or what tells a machine of a cloud about itself. */
const NAMES = /^(?:.*\.)?(?:localhost|localdomain|ip6-localhost|ip6-loopback|internal)$/;

/**
 * Whether a host of a URL, as the URL standard writes it (`0x7f.1` has become `127.0.0.1`), is this machine, its network or
 * what tells it about itself. Of names only the well-known are judged: companies have their repositories at private ones.
 */
export function isInnerHost(host: string): boolean {
  const bare = host
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase();
  const version = isIP(bare);
  if (version === 0) return NAMES.test(bare);
  return blocked.check(bare, version === 6 ? 'ipv6' : 'ipv4');
}
