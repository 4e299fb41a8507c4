import { z } from 'zod';
import type { DeepReadonly } from '../spec/deep-readonly.ts';
import { LOOPBACK } from '../spec/loopback.ts';
import { names } from '../spec/name-field.ts';
import { flag, printableText, text } from '../spec/text-field.ts';
import { checkAccess } from './check-access.ts';
import { roles } from './role.ts';

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
    /** Where its keys are; left out: where its discovery document says. */
    jwks: address('its keys').optional(),
    claims: z
      .strictObject({ person: claim().optional(), groups: claim().optional() }, { error: '{ person, groups }' })
      .optional(),
    /** Whether its tokens may lack the `typ` that says what kind they are of. */
    untyped: flag().optional(),
    /** Whether it is on this machine. */
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
  },
  { error: '{ who, role }' },
);

/** Whom we believe who somebody is, and what they may. Its own file: no change of specs gives anybody a right. */
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
