import { z } from 'zod';
import { bareGrant, grantsNoMoreThan, roles } from '../../../core/access/grant.ts';
import { isSamePerson } from '../../../core/access/person.ts';
import { name, printableText } from '../../../core/documents/fields.ts';
import type { Token, Tokens } from '../../../ports/tokens.ts';
import { badInput, forbidden, notFound, ProblemError } from '../../problem.ts';
import { afterField, limitField, nextField } from '../fields.ts';
import { type Caller, type Route, route } from '../route.ts';
import { exampleOf, examples, story } from '../schemas/examples.ts';
import { tokenAnswer, tokenSchema } from '../schemas/token.ts';

export type TokensDependencies = Pick<Tokens, 'make' | 'find' | 'list' | 'revoke'>;

/** For administrators: of tokens that reach no further than they do. */
export const tokensRoutes = (tokens: TokensDependencies): readonly Route[] => [
  listing(tokens),
  making(tokens),
  revoking(tokens),
];

const listSchema = z
  .object({ items: z.array(tokenSchema), next: nextField })
  .register(examples, { example: { items: [exampleOf(tokenSchema)] } });

const createdTokenSchema = z.object({ token: tokenSchema, text: z.string() }).register(examples, {
  example: {
    token: exampleOf(tokenSchema),
    text: 'setpoint_09b38e391df41c73_EXAMPLE-EXAMPLE-EXAMPLE-EXAMPLE-EXAMPLE-EXA',
  },
});

const listing = (tokens: TokensDependencies): Route =>
  route({
    method: 'GET',
    path: '/v1/tokens',
    operation: {
      id: 'listTokens',
      tag: 'Access',
      summary: 'List tokens, newest first',
      description: 'You get tokens whose grants lie within your own. Setpoint stores only hashes of their secrets.',
      responses: {
        200: { description: 'A page', schema: listSchema },
      },
    },
    permission: 'administer',
    request: { query: z.strictObject({ limit: limitField, after: afterField }) },
    handle: async ({ query: { limit, after }, context: { caller, now } }) => {
      const { items, next } = await pageOf(tokens, { limit, after, caller });
      return { status: 200, body: { items: items.map((token) => tokenAnswer(token, now)), next } };
    },
  });

/** The number of tokens that one read checks. */
const sweep = 500;

interface Page {
  readonly limit: number;
  readonly after: string | undefined;
  readonly caller: Caller;
}

/** As many as are asked for, of those that the caller may see. */
async function pageOf(tokens: TokensDependencies, { limit, after, caller }: Page) {
  const items: Token[] = [];
  let before = after;
  for (;;) {
    const some = await tokens.list({ most: sweep, before });
    items.push(...some.filter(({ grants }) => grantsNoMoreThan(grants, caller.grants)));
    if (items.length > limit) return { items: items.slice(0, limit), next: items[limit - 1]?.id };
    before = some.at(-1)?.id;
    if (some.length < sweep) return { items, next: undefined };
  }
}

const list = (item: z.ZodString, of: string) =>
  z
    .array(item)
    .min(1)
    .max(100)
    .optional()
    .meta({ description: `Only of these ${of}` });

const grant = z.strictObject({
  role: z.enum(roles),
  estates: list(name(), 'estates'),
  targets: list(name(), 'targets'),
  owners: list(printableText(128), 'owners'),
  approvalRoles: z
    .array(name())
    .min(1)
    .max(20)
    .optional()
    .meta({ description: 'Its roles in approvals, as policies ask for them; absent: none' }),
});

const draft = z.strictObject({
  name: name().meta({ description: 'Its purpose, in a word' }),
  grants: z.array(grant).min(1, 'at least one').max(20, 'at most 20'),
  for: printableText(300)
    .optional()
    .meta({ description: 'One of your names that the token acts under; absent: a machine' }),
  expiresAt: z.iso.datetime().optional().meta({ description: 'Absent: in 90 days; at most 366 days from now' }),
});

const dayMs = 24 * 3_600_000;
const usualMs = 90 * dayMs;
const longestMs = 366 * dayMs;

const making = (tokens: TokensDependencies): Route =>
  route({
    method: 'POST',
    path: '/v1/tokens',
    operation: {
      id: 'createToken',
      tag: 'Access',
      summary: 'Create a token, shown only once',
      description:
        'Its grants must lie within your own. Setpoint treats its changes as yours: you cannot approve them. The ledger of each estate in its grants gets an entry.',
      responses: {
        201: {
          description: 'The token; the server shows `text` only once',
          schema: createdTokenSchema,
          once: true,
        },
      },
    },
    permission: 'administer',
    request: { body: draft },
    handle: async ({ body, context: { caller, now } }) => {
      const grants = body.grants.map(bareGrant);
      if (!grantsNoMoreThan(grants, caller.grants)) throw new ProblemError(forbidden('administer'));
      const made = await tokens.make({
        name: body.name,
        grants,
        expiresAt: endOf(body.expiresAt, now),
        ...(body.for === undefined ? {} : { for: ownName(body.for, caller) }),
        maker: { person: caller.person, identities: caller.identities },
      });
      return { status: 201, body: { token: tokenAnswer(made.token, now), text: made.text } };
    },
  });

/** By a token that spoke for somebody else its maker could do in their name what they may not do themselves. */
function ownName(asked: string, { identities }: Caller): string {
  const own = identities.find((one) => isSamePerson(one, asked));
  if (own === undefined) throw new ProblemError(badInput([{ in: 'body', at: 'for', expected: 'a name of yours' }]));
  return own;
}

function endOf(text: string | undefined, now: number): number {
  const end = text === undefined ? now + usualMs : Date.parse(text);
  if (end > now && end <= now + longestMs) return end;
  throw new ProblemError(badInput([{ in: 'body', at: 'expiresAt', expected: 'a time from now on, within 366 days' }]));
}

const revoked: z.output<typeof tokenSchema> = {
  ...exampleOf(tokenSchema),
  state: 'revoked',
  revokedAt: '2027-02-02T09:30:00.000Z',
  revokedBy: story.person,
};

const revoking = (tokens: TokensDependencies): Route =>
  route({
    method: 'DELETE',
    path: '/v1/tokens/{id}',
    operation: {
      id: 'revokeToken',
      tag: 'Access',
      summary: 'Revoke a token',
      description: 'Every process refuses it from then on. It stays in the list.',
      responses: { 200: { description: 'The token, revoked', schema: tokenSchema, example: revoked } },
    },
    permission: 'administer',
    request: { params: z.strictObject({ id: z.string().max(100) }) },
    handle: async ({ params: { id }, context: { caller, now } }) => {
      const [found] = await tokens.find([id]);
      if (found === undefined || !grantsNoMoreThan(found.grants, caller.grants)) throw new ProblemError(notFound);
      const revoked = await tokens.revoke(id, caller.person);
      if (revoked === undefined) throw new ProblemError(notFound);
      return { status: 200, body: tokenAnswer(revoked, now) };
    },
  });
