import { z } from 'zod';
import type { Route } from '../route.ts';
import { route } from '../typed-route.ts';

/** What a process needs to be of use, and whether it is in reach: names and words of ours, that anybody may read. */
export interface Check {
  readonly name: string;
  readonly ok: boolean;
  /** False: the process is ready without it, as one that answers questions is while the database takes no writes. */
  readonly needed: boolean;
}

export interface HealthDesk {
  checks(): readonly Check[];
}

const readiness = z
  .object({ ready: z.boolean(), checks: z.array(z.object({ name: z.string(), ok: z.boolean(), needed: z.boolean() })) })
  .meta({ id: 'Readiness' });

/** For who starts and stops us; workers tell more, and metrics, on a port of their own. */
export const healthRoutes = ({ checks }: HealthDesk): readonly Route[] => [
  route({
    method: 'GET',
    path: '/livez',
    ignoresCredential: true,
    says: {
      id: 'isLive',
      tag: 'Health',
      summary: 'Whether the process gets to answer at all',
      answers: { 200: { description: 'It does', schema: z.object({ live: z.literal(true) }) } },
    },
    asks: {},
    handle: async () => ({ status: 200, body: { live: true } }),
  }),
  route({
    method: 'GET',
    path: '/readyz',
    ignoresCredential: true,
    says: {
      id: 'isReady',
      tag: 'Health',
      summary: 'Whether what the process needs is in reach',
      answers: {
        200: { description: 'It is', schema: readiness },
        503: { description: 'Something is not', schema: readiness },
      },
    },
    asks: {},
    handle: async () => {
      const all = checks();
      const ready = all.every(({ ok, needed }) => ok || !needed);
      return { status: ready ? 200 : 503, body: { ready, checks: all } };
    },
  }),
];
