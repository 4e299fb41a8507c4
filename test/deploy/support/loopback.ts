import { freePort } from '../../../scripts/demo/free-port.ts';

/**
 * How what the file says of containers is said of processes on this machine, and all that is changed of it:
 * - each port that the file names is one free port of 127.0.0.1, and the names of services before a port are 127.0.0.1;
 * - what is open to all of a container's network is open to this machine alone;
 * - `/specs` is the folder that the file mounts there, and `/data` the folder that processes are started in.
 */
export interface Loopback {
  port(inFile: number): number;
  rewrite(text: string): string;
}

export interface Moving {
  /** Of the services. */
  readonly names: readonly string[];
  /** The file's ports, each with the one here; 0: any free one. */
  readonly ports: Readonly<Record<number, number>>;
  /** What is mounted at `/specs`. */
  readonly specs: string;
}

export async function loopback({ names, ports, specs }: Moving): Promise<Loopback> {
  const here = new Map<number, number>();
  for (const [named, given] of Object.entries(ports)) here.set(Number(named), given || (await freePort()));
  const port = (named: number): number => {
    const found = here.get(named);
    if (found === undefined) throw new Error(`nothing in the file listens on port ${named}`);
    return found;
  };
  const hosts = new RegExp(`(?<=[/@])(?:${[...names, '127.0.0.1'].join('|')}):(\\d+)\\b`, 'g');
  return {
    port,
    rewrite: (text) => {
      if (text === '/specs') return specs;
      if (/^\d+$/.test(text)) return String(port(Number(text)));
      const [, everywhere] = /^0\.0\.0\.0:(\d+)$/.exec(text) ?? [];
      if (everywhere !== undefined) return `127.0.0.1:${port(Number(everywhere))}`;
      return text.replaceAll(hosts, (_, named: string) => `127.0.0.1:${port(Number(named))}`);
    },
  };
}
