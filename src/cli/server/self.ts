import type { Client } from './client.ts';
import { want } from './want.ts';

/** Who we are to a server, and what we may do there. `expiresAt`: ISO 8601, of the token. */
export type Self = ReturnType<typeof answer>;

const names = want.maybe(want.list(want.text));

const answer = want.object({
  person: want.text,
  expiresAt: want.maybe(want.text),
  grants: want.list(want.object({ role: want.text, estates: names, targets: names, owners: names })),
});

export const self = (client: Client): Promise<Self> => client.ask({ method: 'GET', path: '/v1/whoami' }, answer);

/** `on everything`, `on the estates acme; of the owners team-web` */
export function boundsText({ estates, targets, owners }: Omit<Self['grants'][number], 'role'>): string {
  const parts = Object.entries({ estates, targets, owners }).flatMap(([what, some]) =>
    some === undefined ? [] : [`${what}: ${some.join(', ')}`],
  );
  return parts.length === 0 ? 'on everything' : `on ${parts.join('; ')}`;
}
