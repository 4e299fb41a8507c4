import { z } from 'zod';
import { type Cidr, containsCidr, parseCidr } from '../cidr.ts';
import { type DeepReadonly, flag, isLoopback, LOOPBACK, names, printableText, text } from '../documents/fields.ts';
import type { Path } from '../documents/tree.ts';
import { bareGrant, type Grant, permissionsOf, roles } from './grant.ts';
import { isSamePerson } from './person.ts';

/** https://www.rfc-editor.org/rfc/rfc7518#section-3.1, those with a public key only: who checks cannot make. */
const signatureAlgorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
] as const;

const anywhere = /^https:\/\/[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?(?::\d{1,5})?(?:\/[\w./~-]{0,500})?$/;
const address = (what: string) =>
  text(
    new RegExp(`${anywhere.source}|${LOOPBACK.source}`),
    `the address of ${what}: https, with no user, query or fragment, such as https://login.acme.example/certs`,
  );

const claim = () => text(/^[\w:./-]{1,100}$/, 'the name of a claim, such as email');

const issuer = z.strictObject(
  {
    issuer: address('the issuer, exactly as its tokens have it'),
    audience: text(/^[\x21-\x7e]{1,512}$/, 'whom its tokens for us are for, such as setpoint'),
    algorithms: z
      .array(z.enum(signatureAlgorithms, { error: signatureAlgorithms.join(', ') }), { error: 'a list of algorithms' })
      .min(1, { error: 'at least one, such as RS256' }),
    /** The address of its keys; left out: its discovery document names it. */
    jwks: address('its keys').optional(),
    claims: z
      .strictObject({ person: claim().optional(), groups: claim().optional() }, { error: '{ person, groups }' })
      .optional(),
    /** True where its tokens may lack the `typ` that names their kind. */
    untyped: flag().optional(),
    /** True where it is on this machine. */
    allowLocal: flag().optional(),
    /** Private networks that it may be in. */
    networks: z
      .array(text(/^[0-9a-f.:]{2,39}\/\d{1,3}$/, 'a private network, such as 10.20.0.0/16'), {
        error: 'a list of private networks',
      })
      .max(20, { error: 'at most 20 networks' })
      .optional(),
  },
  { error: '{ issuer, audience, algorithms }' },
);

const given = () => printableText(300).optional();

const binding = z.strictObject(
  {
    who: z.strictObject(
      { person: given(), group: given(), subject: given(), issuer: given() },
      { error: '{ person }, { group } or { subject }' },
    ),
    role: z.enum(roles, { error: roles.join(', ') }),
    estates: names('estates').optional(),
    targets: names('targets').optional(),
    owners: z
      .array(printableText(128), { error: 'a list of owners' })
      .min(1, { error: 'a list with at least one of the owners' })
      .optional(),
    /** As policies ask for them. */
    approvalRoles: names('approval roles').optional(),
  },
  { error: '{ who, role }' },
);

/** Trusted issuers, and the grants of callers. Its own file: no change of specs gives anybody a right. */
const access = z.strictObject(
  {
    apiVersion: z.literal('setpoint.dev/v1', { error: 'setpoint.dev/v1' }),
    kind: z.literal('Access', { error: 'Access' }),
    oidc: z
      .array(issuer, { error: 'a list of { issuer, audience, algorithms }' })
      .min(1, { error: 'at least one issuer' })
      .max(10, { error: 'at most 10 issuers' }),
    bindings: z.array(binding, { error: 'a list of { who, role }' }).max(1_000, { error: 'at most 1000 bindings' }),
  },
  { error: '{ apiVersion, kind: Access, oidc, bindings }' },
);

export const accessSchema = access.superRefine(checkAccess);

export type Access = DeepReadonly<z.output<typeof access>>;
export type Issuer = DeepReadonly<z.output<typeof issuer>>;
export type Binding = DeepReadonly<z.output<typeof binding>>;

type AddIssue = (path: Path, expected: string) => void;

/** Checks that need several fields. */
function checkAccess(access: Access, context: z.RefinementCtx): void {
  const addIssue: AddIssue = (path, expected) =>
    context.addIssue({ code: 'custom', path: [...path], message: expected });
  const issuers = access.oidc.map(({ issuer }) => issuer);
  for (const [index, one] of access.oidc.entries()) {
    const at = ['oidc', index];
    if (issuers.indexOf(one.issuer) < index) addIssue([...at, 'issuer'], 'each issuer once');
    checkPlace(one, at, addIssue);
  }
  for (const [index, { who, role, approvalRoles }] of access.bindings.entries()) {
    checkWho(who, issuers, ['bindings', index, 'who'], addIssue);
    if (approvalRoles !== undefined && !permissionsOf[role].includes('approve'))
      addIssue(['bindings', index, 'approvalRoles'], 'only with the role approver or admin');
  }
}

function checkPlace({ issuer, jwks, allowLocal = false, networks = [] }: Issuer, at: Path, addIssue: AddIssue): void {
  const isLocal = isLoopback(issuer);
  if (isLocal && !allowLocal) addIssue([...at, 'issuer'], 'allowLocal: true beside it, as it is on this machine');
  if (!isLocal && allowLocal)
    addIssue(
      [...at, 'allowLocal'],
      'only for an issuer on this machine; in a private network: networks: [10.20.0.0/16]',
    );
  if (jwks !== undefined && isLoopback(jwks) && !(isLocal && allowLocal))
    addIssue([...at, 'jwks'], 'https; an address on this machine only where the issuer is there too');
  for (const [index, network] of networks.entries())
    if (!isPrivateNetwork(network))
      addIssue([...at, 'networks', index], 'a network within 10/8, 172.16/12, 192.168/16, 100.64/10 or fc00::/7');
}

function checkWho(who: Binding['who'], issuers: readonly string[], at: Path, addIssue: AddIssue): void {
  const said = [who.person, who.group, who.subject].filter((one) => one !== undefined);
  if (said.length !== 1) addIssue(at, 'exactly one of person, group and subject');
  if (who.issuer === undefined && issuers.length > 1)
    addIssue(at, 'issuer: a name of one issuer means nothing at another');
  if (who.issuer !== undefined && !issuers.includes(who.issuer)) addIssue([...at, 'issuer'], issuers.join(', '));
}

/** True where a name or an issuer may lead us to this address: any public one, and private ones that somebody named. */
export function isReachable(address: string, networks: readonly string[]): boolean {
  const one = parseCidr(`${address}/${address.includes(':') ? 128 : 32}`);
  if (one === undefined || isWithin(never, one)) return false;
  return isWithin(networks.flatMap(parsed), one) || isPublic(one);
}

/** True where a file may name this network: it is private, and has no metadata service of a machine. */
function isPrivateNetwork(text: string): boolean {
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

/**
 * The metadata services of clouds, with machines' credentials: AWS (and most), AWS over IPv6, Azure's, Google's over IPv6,
 * Alibaba's.
 */
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

/** The proven identity of a caller at one issuer. */
export interface Known {
  readonly issuer: string;
  readonly subject: string;
  /** The claim that people are bound by; absent: not proven. */
  readonly person?: string;
  readonly groups: readonly string[];
}

/** The grants that the bindings give to a caller. Groups and subjects are compared to the letter. */
export const boundGrants = (known: Known, bindings: readonly Binding[]): readonly Grant[] =>
  bindings.filter(({ who }) => isMeant(who, known)).map(bareGrant);

function isMeant(who: Binding['who'], { issuer, subject, person, groups }: Known): boolean {
  if (who.issuer !== undefined && who.issuer !== issuer) return false;
  if (who.person !== undefined) return person !== undefined && isSamePerson(who.person, person);
  if (who.group !== undefined) return groups.includes(who.group);
  return who.subject === subject;
}
