import { Agent, request } from 'node:http';
import type { Sent } from '../../test/http/support/sent.ts';

/** Sends requests over connections that stay open, and answers with the status. */
export interface Sender {
  send(hook: string, sent: Sent): Promise<number>;
  close(): void;
}

export function senderTo(url: string, connections: number): Sender {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  return {
    send: (hook, { method = 'POST', query = '', address = `/v1/hooks/acme/${hook}`, headers, body = '' }) =>
      new Promise((resolve, reject) => {
        const length = { 'content-length': String(Buffer.byteLength(body)) };
        const sending = request(`${url}${address}${query}`, { method, agent, headers: { ...headers, ...length } });
        sending.on('error', reject);
        sending.on('response', (answer) => {
          answer.resume();
          answer.on('end', () => resolve(answer.statusCode ?? 0));
        });
        sending.end(body);
      }),
    close: () => agent.destroy(),
  };
}
