import type { z } from 'zod';
import { isLoopback } from '../spec/loopback.ts';
import type { Path } from '../spec/position.ts';
import type { Access, Binding, Issuer } from './access-document.ts';
import { isPrivateNetwork } from './reachable-address.ts';

type Tell = (path: Path, expected: string) => void;

/** What no field can tell alone. */
export function checkAccess(access: Access, context: z.RefinementCtx): void {
  const tell: Tell = (path, expected) => context.addIssue({ code: 'custom', path: [...path], message: expected });
  const issuers = access.oidc.map(({ issuer }) => issuer);
  for (const [index, one] of access.oidc.entries()) {
    const at = ['oidc', index];
    if (issuers.indexOf(one.issuer) < index) tell([...at, 'issuer'], 'each issuer once');
    checkPlace(one, at, tell);
  }
  for (const [index, { who }] of access.bindings.entries()) checkWho(who, issuers, ['bindings', index, 'who'], tell);
}

function checkPlace({ issuer, jwks, allowLocal = false, networks = [] }: Issuer, at: Path, tell: Tell): void {
  const isLocal = isLoopback(issuer);
  if (isLocal && !allowLocal) tell([...at, 'issuer'], 'allowLocal: true beside it, as it is on this machine');
  if (!isLocal && allowLocal)
    tell([...at, 'allowLocal'], 'only for an issuer on this machine; in a private network: networks: [10.20.0.0/16]');
  if (jwks !== undefined && isLoopback(jwks) && !(isLocal && allowLocal))
    tell([...at, 'jwks'], 'https; an address on this machine only where the issuer is there too');
  for (const [index, network] of networks.entries())
    if (!isPrivateNetwork(network))
      tell([...at, 'networks', index], 'a network within 10/8, 172.16/12, 192.168/16, 100.64/10 or fc00::/7');
}

function checkWho(who: Binding['who'], issuers: readonly string[], at: Path, tell: Tell): void {
  const said = [who.person, who.group, who.subject].filter((one) => one !== undefined);
  if (said.length !== 1) tell(at, 'exactly one of person, group and subject');
  if (who.issuer === undefined && issuers.length > 1)
    tell(at, 'issuer: whose they are, as a name at one issuer is nothing at another');
  if (who.issuer !== undefined && !issuers.includes(who.issuer)) tell([...at, 'issuer'], issuers.join(', '));
}
