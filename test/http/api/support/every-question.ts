import { type OpenApiDocument, openApiDocument } from '../../../../src/http/api/openapi.ts';
import type { Route } from '../../../../src/http/api/route.ts';
import type { Place } from './two-estates.ts';

/** One operation of the document, and how to ask it about a place. */
export interface Question {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  /** As the document has it; undefined: anybody may ask. */
  readonly permission: string | undefined;
  /** True: a caller can ask about one place rather than another. */
  readonly isPlaced: boolean;
  ask(place: Place): { readonly what: string; readonly body?: unknown };
}

/** Values for the parameters of a path: by name, or for this path alone. A new parameter needs a line. */
const holes: Readonly<Record<string, (place: Place) => string>> = {
  name: ({ target }) => target,
  resource: ({ address }) => address,
  subject: ({ address }) => address,
  address: ({ address }) => address,
  '/v1/reconciles/{id}': ({ ids }) => ids.reconcile,
  '/v1/tokens/{id}': ({ ids }) => ids.token,
  '/v1/plans/{id}': ({ ids }) => ids.plan,
  '/v1/plans/{id}/apply': ({ ids }) => ids.plan,
};

/** Bodies of the operations that take one. A new operation needs a line. */
const bodies: Readonly<Record<string, (place: Place) => object>> = {
  createToken: ({ estate }) => ({ name: 'another', grants: [{ role: 'viewer', estates: [estate] }] }),
  createPlan: ({ estate }) => ({ estate, active: true }),
  applyPlan: () => ({ reason: 'because' }),
  approve: ({ estate }) => ({ estate, digest: 'a'.repeat(64), reason: 'because' }),
  refuseApproval: ({ estate }) => ({ estate, digest: 'a'.repeat(64), reason: 'because' }),
  withdrawApproval: ({ estate }) => ({ estate, seq: 1, reason: 'because' }),
  assign: ({ estate, address }) => ({ estate, address, reason: 'because' }),
  endAssignment: ({ estate, address }) => ({ estate, address }),
  comment: ({ estate, address }) => ({ estate, address, text: 'because' }),
  pause: ({ estate }) => ({ estate, reason: 'because' }),
  patch: ({ estate, address }) => ({
    ...{ estate, address, fields: { 'labels.tier': 'web' } },
    ...{ until: '2026-06-01T00:00:00Z', reason: 'because', preview: true },
  }),
  proposeEdit: ({ estate, address }) => ({ estate, address }),
  endPatch: ({ estate }) => ({ estate, id: 1, reason: 'because' }),
  resume: ({ estate }) => ({ estate, reason: 'because', all: true }),
  reconcileTarget: ({ estate }) => ({ estate, reason: 'because' }),
  signIn: () => ({ token: 'nobody' }),
};

/** Queries of operations that need one. */
const queries: Readonly<Record<string, (place: Place) => string>> = {
  countInventory: () => '&by=target',
  readReach: ({ address }) => `&from=internet&to=${encodeURIComponent(address)}`,
};

type Paths = NonNullable<OpenApiDocument['paths']>;

/** The paths in /openapi.json except webhooks, which have proofs of their own: see test/http/webhooks. */
export const routePaths = (routes: readonly Route[]): readonly (readonly [string, Paths[string]])[] =>
  Object.entries(openApiDocument(routes).paths ?? {}).filter(([path]) => !path.startsWith('/v1/hooks/'));

/** Every operation that /openapi.json has. Throws where one cannot be asked: this file then needs a line. */
export function everyQuestion(routes: readonly Route[]): readonly Question[] {
  return routePaths(routes).flatMap(([path, { get, post, delete: remove }]) => [
    ...questionsOf(path, 'GET', get),
    ...questionsOf(path, 'POST', post),
    ...questionsOf(path, 'DELETE', remove),
  ]);
}

type Operation = NonNullable<Paths[string]['get']>;

function questionsOf(path: string, method: string, operation: Operation | undefined): readonly Question[] {
  if (operation === undefined) return [];
  const { operationId: id = '', parameters = [], requestBody } = operation;
  const permission: unknown = Reflect.get(operation, 'x-setpoint-permission');
  const bodyOf = requestBody === undefined ? undefined : bodies[id];
  if (requestBody !== undefined && bodyOf === undefined) throw new Error(`every-question.ts has no body for ${id}`);
  const hasEstate = parameters.some((one) => 'in' in one && one.in === 'query' && one.name === 'estate');
  // why: a stream has no end of its own; who may not have it is refused before it begins
  const isStream = JSON.stringify(operation.responses ?? {}).includes('text/event-stream');
  const asked = isStream ? 'HEAD' : method;
  return [
    {
      id,
      method,
      path,
      permission: typeof permission === 'string' ? permission : undefined,
      isPlaced: hasEstate || path.includes('{') || bodyOf !== undefined,
      ask: (place) => ({
        what: `${asked} ${filled(path, place)}${hasEstate ? `?estate=${place.estate}${queries[id]?.(place) ?? ''}` : ''}`,
        ...(bodyOf === undefined ? {} : { body: bodyOf(place) }),
      }),
    },
  ];
}

const filled = (path: string, place: Place): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const known = holes[path] ?? holes[name];
    if (known === undefined) throw new Error(`every-question.ts has nothing for {${name}} of ${path}`);
    return encodeURIComponent(known(place));
  });
