import { type Address, nameIn, prefixIn } from '../../src/core/resource.ts';

/** `…/group/core.web` is of `…/network/core`, and so is `…/firewall-rule/core.web-https-1a2b3c4d`. */
export function networkAddressOf(address: Address, kind: 'group' | 'firewall-rule'): Address {
  const [network] = nameIn(address, kind).split('.');
  return `${prefixIn(address, kind)}/network/${network}`;
}
