import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A loopback proxy that counts what passes. */
export interface CountingProxy {
  readonly url: string;
  /** Calls by action since the last look, which begins a new count. */
  take(): Readonly<Record<string, number>>;
  close(): Promise<void>;
}

/** Reconciles everything on to `target` as it came, and counts each by the `Action` of its form, or its method. */
export async function countingProxy(target: string): Promise<CountingProxy> {
  const { hostname, port } = new URL(target);
  let counts = new Map<string, number>();
  const reconcile = async (question: IncomingMessage, answer: ServerResponse): Promise<void> => {
    const body = await bodyOf(question);
    const action = new URLSearchParams(body.toString('utf8')).get('Action') ?? `${question.method} ${question.url}`;
    counts.set(action, (counts.get(action) ?? 0) + 1);
    const { method, url: path, headers } = question;
    const onward = request({ hostname, port, method, path, headers }, (back) => {
      answer.writeHead(back.statusCode ?? 502, back.headers);
      back.pipe(answer);
    });
    onward.once('error', () => answer.destroy());
    onward.end(body);
  };
  const server = createServer((question, answer) => void reconcile(question, answer).catch(() => answer.destroy()));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${portOf(server)}`,
    take: () => {
      const taken = Object.fromEntries(counts);
      counts = new Map();
      return taken;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function bodyOf(question: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of question) chunks.push(chunk);
  return Buffer.concat(chunks);
}

// why: a listening TCP server has no other form of address
const portOf = (server: Server): number => (server.address() as AddressInfo).port;
