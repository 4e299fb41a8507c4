import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parentPort } from 'node:worker_threads';
import type { Hostile } from './answering.ts';

/** A cloud that answers one listing as it was told, and every other with nothing. */
const server = createServer((request, reply) => {
  let asked = request.url ?? '';
  request.setEncoding('utf8').on('data', (text: string) => {
    asked += text;
  });
  request.on('end', () => {
    const { listing, status = 200, body } = told;
    const isTold = listing.test(asked);
    reply.statusCode = isTold ? status : 200;
    reply.setHeader('content-type', asked.includes('Action=') ? 'text/xml' : 'application/json');
    reply.end(isTold ? body : nothingOf(asked));
  });
});

function nothingOf(asked: string): string {
  const action = /Action=(\w+)/.exec(asked)?.[1];
  if (action !== undefined) return `<${action}Response/>`;
  return asked.includes('/compute/v1/') ? '{"kind":"compute#emptyList"}' : '{"value":[]}';
}

let told: Hostile = { listing: /^never$/, body: '' };
parentPort?.on('message', (next: Hostile) => {
  told = next;
  parentPort?.postMessage('ready');
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo; // why: it listens on a port
  parentPort?.postMessage(port);
});
