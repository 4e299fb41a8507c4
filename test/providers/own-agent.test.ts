import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { claimsToBeOurs } from '../../src/core/last-modified.ts';
import type { Call } from '../../src/ports/provider.ts';
import { openAwsSession } from '../support/aws-session.ts';
import { openGcpSession } from '../support/gcp-session.ts';
import { virtualClock } from '../support/virtual-clock.ts';

const call: Call = {
  signal: new AbortController().signal,
  admit: async () => {},
  report: () => {},
  secret: async () => ({}),
};

const agents: string[] = [];
const server = createServer((request, response) => {
  agents.push(request.headers['user-agent'] ?? '');
  response.writeHead(400, { 'content-type': 'application/json' }).end('{}');
}).listen(0, '127.0.0.1');
after(() => void server.close());
await new Promise((resolve) => server.once('listening', resolve));
const { port } = server.address() as AddressInfo; // why: it listens on a port
const url = `http://127.0.0.1:${port}`;

for (const [cloud, open] of [
  ['aws', openAwsSession],
  ['gcp', openGcpSession],
] as const)
  test(`${cloud}: every request bears our name, by which its audit log tells it`, async () => {
    agents.length = 0;
    const session = await open(url, virtualClock());
    await session.identify(call).catch(() => {});
    await session.close();
    assert.ok(agents.length > 0);
    for (const agent of agents) assert.ok(claimsToBeOurs({ who: '', action: '', agent }), agent);
  });
