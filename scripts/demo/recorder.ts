import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { freePort } from './free-port.ts';

/** A proxy that writes every exchange into a file, for the clouds' own checks of what is sent and answered. */
export interface Recorder {
  /** The address that clients use instead. */
  readonly url: string;
  /** The port of the server behind it. Servers can follow one another. */
  readonly port: number;
  /** Sends later requests to another server, and records them in a new file. */
  cut(): Promise<void>;
  end(): Promise<void>;
}

/**
 * Set by CI: a folder for records (SETPOINT_RECORDS), and that of the outside checks with the proxy (SETPOINT_GATES).
 * Undefined elsewhere: nothing is recorded. `cloud` begins the file's name.
 */
export async function recorder(cloud: string): Promise<Recorder | undefined> {
  const { SETPOINT_RECORDS: folder, SETPOINT_GATES: gates } = process.env;
  if (folder === undefined || folder === '' || gates === undefined) return undefined;
  const [own, port] = [await freePort(), await freePort()];
  const stem = join(folder, `${cloud}-${process.pid}-${own}`);
  const file = `${stem}.jsonl`;
  let cuts = 0;
  const program = join(gates, 'record-proxy.mjs');
  const args = [program, `${own}`, `http://127.0.0.1:${port}`, file];
  const proxy = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const { value: line } = await createInterface({ input: proxy.stdout })[Symbol.asyncIterator]().next();
  if (!String(line).startsWith('recording')) throw new Error(`the proxy did not begin: ${line}`);
  const url = `http://127.0.0.1:${own}`;
  return {
    url,
    port,
    // why: the proxy opens its file anew for every exchange, and has written all that came before what it answers now
    cut: async () => {
      await fetch(url).then((answer) => answer.arrayBuffer());
      cuts += 1;
      if (existsSync(file)) await rename(file, `${stem}-${cuts}.jsonl`);
    },
    end: async () => {
      if (proxy.exitCode === null && proxy.kill()) await once(proxy, 'exit');
    },
  };
}
