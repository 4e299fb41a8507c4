import { createConnection, createServer, type Socket } from 'node:net';

/** A way to a server on this machine that can fall silent: packets are dropped in both directions, and no connection ends. */
export interface SilentWay {
  readonly port: number;
  /** All connections that there are fall silent, for good. New ones are not. */
  silence(): void;
  /** The same, but what is sent over them still arrives. */
  dropAnswers(): void;
  /** How many connections are open. */
  count(): number;
  /** On how many of the silent connections something was asked since they fell silent; a goodbye is no question. */
  triedInVain(): number;
  close(): Promise<void>;
}

/** The first byte of the message by which a client leaves: https://www.postgresql.org/docs/current/protocol-message-formats.html */
const TERMINATE = 'X'.charCodeAt(0);

export async function silentWay(to: number): Promise<SilentWay> {
  const links = new Map<Socket, { readonly far: Socket; passes: { there: boolean; back: boolean } }>();
  const vain = new Set<Socket>();
  const server = createServer((near) => {
    const far = createConnection({ host: '127.0.0.1', port: to });
    const passes = { there: true, back: true };
    links.set(near, { far, passes });
    for (const socket of [near, far]) socket.setNoDelay(true).on('error', () => {});
    near.on('data', (chunk) => {
      if (passes.there) far.write(chunk);
      else if (chunk[0] !== TERMINATE) vain.add(near);
    });
    far.on('data', (chunk) => void (passes.back && near.write(chunk)));
    near.once('close', () => {
      links.delete(near);
      if (passes.there) far.destroy();
    });
    far.once('close', () => void (passes.back && near.destroy()));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('a way listens on a port');
  const fars = new Set<Socket>();
  const drop = (there: boolean): void => {
    for (const { far, passes } of links.values()) {
      fars.add(far);
      passes.back = false;
      passes.there &&= !there;
    }
  };
  return {
    port: address.port,
    silence: () => drop(true),
    dropAnswers: () => drop(false),
    count: () => links.size,
    triedInVain: () => vain.size,
    close: async () => {
      for (const [near, { far }] of links) {
        near.destroy();
        far.destroy();
      }
      for (const far of fars) far.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
