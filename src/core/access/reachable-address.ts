import { type Cidr, containsCidr, parseCidr } from '../cidr.ts';

/** Which address a name or an issuer may lead us to: any public one, and private ones that somebody named. */
export function isReachable(address: string, networks: readonly string[]): boolean {
  const one = parseCidr(`${address}/${address.includes(':') ? 128 : 32}`);
  if (one === undefined || isWithin(never, one)) return false;
  return isWithin(networks.flatMap(parsed), one) || isPublic(one);
}

/** Whether somebody may name this network: it is private, and tells no machine about itself. */
export function isPrivateNetwork(text: string): boolean {
  const [network] = parsed(text);
  return network !== undefined && isWithin(secluded, network);
}

const isPublic = (one: Cidr): boolean =>
  one.family === 4 ? !isWithin(special, one) : isWithin(unicast, one) && !isWithin(special, one);

const isWithin = (networks: readonly Cidr[], one: Cidr): boolean =>
  networks.some((network) => containsCidr(network, one));

const parsed = (text: string): readonly Cidr[] => {
  const cidr = parseCidr(text);
  return cidr === undefined ? [] : [cidr];
};

const secluded = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', 'fc00::/7'].flatMap(parsed);

/** What tells a machine of a cloud about itself, with its credentials: AWS (and most), AWS over IPv6, Azure's, Google's over IPv6, Alibaba's. */
const never = ['169.254.0.0/16', 'fd00:ec2::/32', '168.63.129.16/32', 'fd20:ce::254/128', '100.100.100.200/32'].flatMap(
  parsed,
);

/** All of the world that IPv6 has so far: https://www.iana.org/assignments/ipv6-unicast-address-assignments */
const unicast = parsed('2000::/3');

/**
 * https://www.iana.org/assignments/iana-ipv4-special-registry and https://www.iana.org/assignments/iana-ipv6-special-registry,
 * with what holds an IPv4 address inside an IPv6 one.
 */
const special = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24'],
  ...['192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24'],
  ...['224.0.0.0/3', '2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'],
].flatMap(parsed);
