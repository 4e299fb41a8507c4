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
  close(): Promise<void>;
}

export async function silentWay(to: number): Promise<SilentWay> {
  const links = new Map<Socket, { readonly far: Socket; passes: { there: boolean; back: boolean } }>();
  const server = createServer((near) => {
    const far = createConnection({ host: '127.0.0.1', port: to });
    const passes = { there: true, back: true };
    links.set(near, { far, passes });
    for (const socket of [near, far]) socket.setNoDelay(true).on('error', () => {});
    near.on('data', (chunk) => void (passes.there && far.write(chunk)));
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
