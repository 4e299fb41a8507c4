import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** SIGTERM, and waits until it has ended and all that it said has come. At once where it has ended already. */
export async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, 'close');
  if (child.kill('SIGTERM')) await closed;
}
