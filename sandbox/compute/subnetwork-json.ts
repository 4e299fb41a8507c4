import { addressText } from '../address.ts';
import { parseCidr } from '../cidr.ts';
import { fingerprint } from './fingerprint.ts';
import { linkTo } from './place.ts';
import type { Project } from './project.ts';
import type { Json, Subnetwork } from './records.ts';
import { resourceJson, shown } from './resource-json.ts';

export function subnetworkJson(project: Project, subnetwork: Subnetwork): Json {
  const cidr = parseCidr(subnetwork.cidr, 'ipv4');
  return shown({
    ...resourceJson(project, 'subnetwork', subnetwork),
    network: linkTo(project, subnetwork.network),
    ipCidrRange: subnetwork.cidr,
    // The second address of the range: https://docs.cloud.google.com/vpc/docs/subnets#unusable-ip-addresses-in-every-subnet
    gatewayAddress: cidr && addressText(cidr.first + 1n, 'ipv4'),
    region: linkTo(project, subnetwork.scope),
    privateIpGoogleAccess: subnetwork.privateGoogleAccess,
    privateIpv6GoogleAccess: 'DISABLE_GOOGLE_ACCESS',
    fingerprint: subnetworkFingerprint(subnetwork),
    enableFlowLogs: subnetwork.log?.['enable'],
    logConfig: subnetwork.log,
    purpose: 'PRIVATE',
    stackType: 'IPV4_ONLY',
  });
}

/** Over all that may change, and over the number: a subnetwork that was made anew has another. */
export function subnetworkFingerprint({ number, cidr, privateGoogleAccess, log }: Subnetwork): string {
  return fingerprint(['subnetwork', { number, cidr, privateGoogleAccess, log }]);
}
