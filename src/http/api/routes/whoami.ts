import { z } from 'zod';
import { boundsFor, permissions, permissionsOf, reachableEstates } from '../../../core/access/grant.ts';
import { ProblemError, unauthorized } from '../../problem.ts';
import { type Caller, type Route, route } from '../route.ts';
import { examples, story } from '../schemas/examples.ts';
import { timestamp } from '../schemas/timestamp.ts';
import { grantSchema } from '../schemas/token.ts';

const heldGrantSchema = grantSchema
  .extend({ permissions: z.array(z.enum(permissions)).meta({ description: 'Of its role' }) })
  .meta({ id: 'HeldGrant', description: 'A role of yours, with its bounds' });

export const identitySchema = z
  .object({
    actor: z.string().meta({ description: 'The name in the ledger' }),
    identities: z.array(z.string()).meta({ description: 'All proven names of the caller' }),
    grants: z.array(heldGrantSchema),
    estates: z
      .array(z.string())
      .meta({ description: 'The estates that you see. If there are several, most questions need `estate`' }),
    expiresAt: timestamp.optional().meta({ description: 'The expiry of the credential' }),
  })
  .meta({ id: 'Identity' })
  .register(examples, {
    example: {
      actor: story.person,
      identities: [story.person],
      grants: [{ role: 'approver', estates: [story.estate], permissions: [...permissionsOf.approver] }],
      estates: [story.estate],
      expiresAt: '2027-01-31T09:00:00.000Z',
    },
  });

export interface IdentityDependencies {
  /** All estates that there are. */
  estates(): Promise<readonly string[]>;
}

export const identityOf = async (
  { person, identities, grants, expiresAt }: Caller,
  { estates }: IdentityDependencies,
) => ({
  ...{ actor: person, identities, expiresAt },
  grants: grants.map((grant) => ({ ...grant, permissions: permissionsOf[grant.role] })),
  estates: [...reachableEstates(boundsFor(grants, 'read'), await estates())].sort(),
});

export const whoamiRoutes = (dependencies: IdentityDependencies): readonly Route[] => [
  route({
    method: 'GET',
    path: '/v1/whoami',
    operation: {
      id: 'whoami',
      tag: 'Access',
      summary: 'Show your identity, your grants and your estates',
      description: 'Every caller with a valid credential may ask, also without grants.',
      responses: { 200: { description: 'Your identity', schema: identitySchema } },
    },
    request: {},
    handle: async ({ context: { caller } }) => {
      if (caller.id === '') throw new ProblemError(unauthorized);
      return { status: 200, body: await identityOf(caller, dependencies) };
    },
  }),
];
