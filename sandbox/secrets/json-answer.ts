import type { Answer } from '../protocol.ts';

export interface JsonAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: object;
  readonly errorCode?: string;
}

export const jsonAnswer = ({ status = 200, headers = {}, body, errorCode }: JsonAnswer): Answer => ({
  response: { status, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) },
  ...(errorCode === undefined ? {} : { errorCode }),
});
