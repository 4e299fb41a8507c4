import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Duplex } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { Orders } from '../victim/victim.ts';

/** A process that stops at its gate and waits for us. */
export interface VictimProcess {
  /** It stands at the gate; `ended` where it came to its end without. */
  met(): Promise<'held' | 'ended'>;
  /** Lets it go on from the gate. */
  pass(): void;
  signal(name: NodeJS.Signals): void;
  /** Its exit code, or the signal that ended it, and what it said. */
  ended(): Promise<{ readonly how: string; readonly said: string }>;
}

const program = fileURLToPath(new URL('../victim.ts', import.meta.url));

export function startVictim(args: readonly string[], orders: Orders): VictimProcess {
  const child = spawn(process.execPath, [program, ...args], {
    env: { ...process.env, CHAOS_VICTIM: JSON.stringify(orders) },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  const said = heard(child);
  const ended = once(child, 'close').then(([code, signal]) => ({ how: String(signal ?? code), said: said() }));
  const wire = child.stdio[3];
  if (!(wire instanceof Duplex)) throw new Error('a victim has a wire to its director');
  wire.on('error', () => {});
  const held = once(wire, 'data').then(
    () => 'held' as const,
    () => 'ended' as const,
  );
  return {
    met: () => Promise.race([held, ended.then(() => 'ended' as const)]),
    pass: () => void wire.write('!'),
    signal: (name) => void child.kill(name),
    ended: () => ended,
  };
}

function heard({ stdout, stderr }: ChildProcess): () => string {
  const parts: string[] = [];
  for (const stream of [stdout, stderr]) stream?.setEncoding('utf8').on('data', (text) => parts.push(String(text)));
  return () => parts.join('');
}
