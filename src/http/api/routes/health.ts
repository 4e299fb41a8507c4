import { z } from 'zod';
import { type Route, route } from '../route.ts';
import { examples } from '../schemas/examples.ts';

/** A dependency that a process needs, and its state. Names and words are public. */
export interface Check {
  readonly name: string;
  readonly ok: boolean;
  /** False: the process is ready without it, as one that answers questions is while the database takes no writes. */
  readonly needed: boolean;
}

export interface HealthDependencies {
  checks(): readonly Check[];
}

const readiness = z
  .object({ ready: z.boolean(), checks: z.array(z.object({ name: z.string(), ok: z.boolean(), needed: z.boolean() })) })
  .meta({ id: 'Readiness' })
  .register(examples, {
    example: {
      ready: true,
      checks: [
        { name: 'database', ok: true, needed: true },
        { name: 'writes', ok: true, needed: false },
        { name: 'queue', ok: true, needed: false },
      ],
    },
  });

const unready: z.output<typeof readiness> = {
  ready: false,
  checks: [
    { name: 'database', ok: false, needed: true },
    { name: 'writes', ok: false, needed: false },
    { name: 'queue', ok: true, needed: false },
  ],
};

const liveness = z.object({ live: z.literal(true) }).register(examples, { example: { live: true } });

/** For who starts and stops us; workers tell more, and metrics, on a port of their own. */
export const healthRoutes = ({ checks }: HealthDependencies): readonly Route[] => [
  route({
    method: 'GET',
    path: '/livez',
    ignoresCredential: true,
    operation: {
      id: 'isLive',
      tag: 'Health',
      summary: 'Check that the process answers',
      responses: { 200: { description: 'The process answers', schema: liveness } },
    },
    request: {},
    handle: async () => ({ status: 200, body: { live: true } }),
  }),
  route({
    method: 'GET',
    path: '/readyz',
    ignoresCredential: true,
    operation: {
      id: 'isReady',
      tag: 'Health',
      summary: 'Check that the process reaches its dependencies',
      responses: {
        200: { description: 'Every needed dependency is available', schema: readiness },
        503: { description: 'A needed dependency is unavailable', schema: readiness, example: unready },
      },
    },
    request: {},
    handle: async () => {
      const all = checks();
      const ready = all.every(({ ok, needed }) => ok || !needed);
      return { status: ready ? 200 : 503, body: { ready, checks: all } };
    },
  }),
];
