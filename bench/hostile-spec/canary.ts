import { once } from 'node:events';
import { createServer } from 'node:net';

export interface Canary {
  readonly url: string;
  connections(): number;
  close(): Promise<void>;
}

/** A port of this machine that nobody has a reason to call: it counts who does, and hangs up. `heard` is told of each. */
export async function openCanary(heard: () => void = () => undefined): Promise<Canary> {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.destroy();
    heard();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('a port was to be opened');
  return {
    url: `http://127.0.0.1:${address.port}`,
    connections: () => connections,
    close: async () => {
      server.close();
      await once(server, 'close');
    },
  };
}
