import { createConnection, createServer, type Server, type Socket } from 'node:net';

/** A way to a server on this machine that can be held and cut. */
export interface Passage {
  readonly port: number;
  /** From now on nothing comes back over it, until `let`: what is sent still arrives. */
  hold(): void;
  /** New ways are open again; those that were held stay so. */
  open(): void;
  /** Lets the held bytes through. */
  let(): void;
  /** From now on nothing goes over those that there are, in either direction, and neither end is told. New ones work. */
  silence(): void;
  /** Ends all connections that there are. */
  cut(): void;
  close(): Promise<void>;
}

/** `to`: the port of the server, which may move. */
export async function passage(to: () => number): Promise<Passage> {
  const links = new Set<Link>();
  let holding = false;
  const server = createServer((near) => {
    const link = linkOf(near, to());
    links.add(link);
    near.once('close', () => link.isSilent || links.delete(link));
    if (holding) link.far.pause();
  });
  const port = await listening(server);
  const cut = (): void => {
    for (const { near, far } of links) {
      near.destroy();
      far.destroy();
    }
  };
  return {
    port,
    hold: () => {
      holding = true;
      for (const { far } of links) far.pause();
    },
    open: () => {
      holding = false;
    },
    let: () => {
      holding = false;
      for (const { far } of links) far.resume();
    },
    silence: () => {
      for (const link of links) link.isSilent = true;
    },
    cut,
    close: async () => {
      cut();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

interface Link {
  readonly near: Socket;
  readonly far: Socket;
  isSilent: boolean;
}

/** Without `pipe`, which would resume what is held. */
function linkOf(near: Socket, to: number): Link {
  const far = createConnection({ host: '127.0.0.1', port: to });
  for (const socket of [near, far]) socket.setNoDelay(true).on('error', () => {});
  const link: Link = { near, far, isSilent: false };
  // why: of a silent link the server hears no end either
  near
    .on('data', (chunk) => void (link.isSilent || far.write(chunk)))
    .once('close', () => link.isSilent || far.destroy());
  far
    .on('data', (chunk) => void (link.isSilent || near.write(chunk)))
    .once('close', () => link.isSilent || near.destroy());
  return link;
}

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('a passage listens on a port');
  return address.port;
}
