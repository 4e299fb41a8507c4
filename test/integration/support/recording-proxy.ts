import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One call of the EC2 or STS Query protocol, as it went over the wire. */
export interface RecordedCall {
  readonly action: string;
  readonly params: URLSearchParams;
  readonly status: number;
  /** As in the answer's header. */
  readonly requestId: string;
}

/** A way to the cloud that counts: only Setpoint goes through it, colleagues go straight. */
export interface RecordingProxy {
  readonly url: string;
  /** The calls since it was last asked. */
  taken(): readonly RecordedCall[];
  close(): Promise<void>;
}

export const isMutating = ({ action }: Pick<RecordedCall, 'action'>): boolean => !/^(?:Describe|Get|List)/.test(action);

export async function recordingProxy(target: string): Promise<RecordingProxy> {
  const calls: RecordedCall[] = [];
  const server = createServer((incoming, outgoing) => {
    exchange(incoming, outgoing, target).then(
      (call) => calls.push(call),
      (error: Error) => outgoing.writeHead(502).end(error.message),
    );
  });
  const url = await listen(server);
  return {
    url,
    taken: () => calls.splice(0),
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // why: a listening TCP server has one
  return `http://127.0.0.1:${port}`;
}

async function exchange(incoming: IncomingMessage, outgoing: ServerResponse, target: string): Promise<RecordedCall> {
  const body = await textOf(incoming);
  const { hostname, port, host } = new URL(target);
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const { method, url: path } = incoming;
    const headers = { ...incoming.headers, host };
    request({ hostname, port, method, path, headers }, resolve).on('error', reject).end(body);
  });
  const text = await textOf(answer);
  const status = answer.statusCode ?? 502;
  const params = new URLSearchParams(body);
  const { 'transfer-encoding': _, 'content-length': __, ...headers } = answer.headers;
  outgoing.writeHead(status, headers).end(text);
  const requestId = String(answer.headers['x-amzn-requestid'] ?? '');
  return { action: params.get('Action') ?? '', params, status, requestId };
}

async function textOf(message: IncomingMessage): Promise<string> {
  message.setEncoding('utf8');
  let text = '';
  for await (const chunk of message) text += String(chunk);
  return text;
}
