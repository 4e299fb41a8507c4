import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after } from 'node:test';
import { touches } from '../../../providers/aws/touches.ts';
import type { Touch } from '../../../src/core/last-modified.ts';

/** Receives the sandbox's events of CloudTrail as a webhook does. */
export interface CloudTrail {
  /** The destination of the sandbox. */
  readonly destination: { readonly cloud: 'aws'; readonly url: string; readonly apiKey: string };
  /** All changes that were told of so far. */
  readonly heard: readonly Touch[];
}

/** `keep`: handed each event's changes, as they come. */
export async function cloudTrail(keep: (heard: readonly Touch[]) => Promise<unknown>): Promise<CloudTrail> {
  const heard: Touch[] = [];
  const server = createServer((request, response) => {
    void textOf(request).then(async (text) => {
      const named = touches(JSON.parse(text));
      await keep(named);
      heard.push(...named);
      response.writeHead(202).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  after(() => server.close());
  // why: a server that listens on a port has one
  const { port } = server.address() as AddressInfo;
  return { destination: { cloud: 'aws', url: `http://127.0.0.1:${port}/hook`, apiKey: 'let me in' }, heard };
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
}
