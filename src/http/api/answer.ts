import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { Reply, Route, Shape } from './route.ts';

export interface Answer {
  readonly route: Route;
  readonly reply: Reply;
}

/** An answer, as far as its schema declares it; one that does not fit is a defect that names the field, and never leaves. */
export function sendAnswer(to: FastifyReply, { route, reply }: Answer): FastifyReply {
  const shape = route.says.answers[reply.status];
  if (shape === undefined) throw new Undeclared(route.says.id, `status ${reply.status}`);
  to.code(reply.status).headers({ 'cache-control': 'private, no-cache', ...reply.headers });
  if ('chunks' in reply) return to.type(shape.type ?? 'text/plain').send(Readable.from(reply.chunks));
  if (shape.schema === undefined) return to.send();
  return to.type(shape.type ?? 'application/json').send(textOf(route, shape, reply.body));
}

function textOf({ says }: Route, { schema, type }: Shape, body: unknown): string {
  if (type !== undefined) return String(body);
  const parsed = schema?.safeParse(body);
  if (parsed?.success) return JSON.stringify(parsed.data);
  throw new Undeclared(says.id, parsed?.error.issues.map(({ path }) => path.join('.')).join(', ') ?? '');
}

/** What a route answered is not what it declares. `at`: which fields; never their values. */
export class Undeclared extends Error {
  readonly at: string;

  constructor(id: string, at: string) {
    super(`the answer of ${id} is not as it declares: ${at}`);
    this.name = 'Undeclared';
    this.at = at;
  }
}
