import type { Reply, Route, Shape } from './route.ts';

/** What is sent: checked, and as text. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** Whether it may be kept, to be given again. */
  readonly isKept: boolean;
}

/** A long one, sent as it comes. */
export interface LongAnswer extends Pick<Answer, 'status' | 'headers'> {
  readonly chunks: AsyncIterable<string>;
  /** It may be quiet for as long as it likes, and is cut off when this aborts. */
  readonly cut: AbortSignal | undefined;
}

/** An answer, as far as its schema declares it; one that does not fit is a defect that names the field, and never leaves. */
export function answerOf({ says }: Route, reply: Reply): Answer | LongAnswer {
  const { status } = reply;
  const shape = says.answers[status];
  if (shape === undefined) throw new Undeclared(says.id, `status ${status}`);
  const type = shape.type ?? (shape.schema === undefined ? undefined : 'application/json');
  const headers = { ...(type === undefined ? {} : { 'content-type': type }), ...reply.headers };
  if ('chunks' in reply) return { status, headers, chunks: reply.chunks, cut: reply.cut };
  return { status, headers, text: textOf(says.id, shape, reply.body), isKept: !shape.once };
}

function textOf(id: string, { schema, type }: Shape, body: unknown): string {
  if (type !== undefined) return String(body);
  if (schema === undefined) return '';
  const { success, data, error } = schema.safeParse(body);
  if (success) return JSON.stringify(data);
  throw new Undeclared(id, error.issues.map(({ path }) => path.join('.')).join(', '));
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
