import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** Another process that has a folder's store open. */
export interface OtherProcess {
  /** Says `acquire ESTATE SCOPE` or `note ESTATE`, and returns the answer. */
  ask(message: string): Promise<unknown>;
  close(): Promise<void>;
  /** Ends without closing anything. */
  exit(): Promise<void>;
  /** SIGKILL: it has no chance to tidy up. */
  kill(): Promise<void>;
}

export async function otherProcess(folder: string): Promise<OtherProcess> {
  const child = fork(join(import.meta.dirname, 'store-process.ts'), [folder], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const ended = once(child, 'exit');
  await answer(child, ended);
  return {
    ask: (message) => {
      child.send(message);
      return answer(child, ended);
    },
    close: async () => {
      child.send('close');
      await ended;
    },
    exit: async () => {
      child.send('exit');
      await ended;
    },
    kill: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

async function answer(child: ChildProcess, ended: Promise<unknown>): Promise<unknown> {
  const failed = ended.then(() => Promise.reject(new Error('the other process ended instead of answering')));
  const [message] = await Promise.race([once(child, 'message'), failed]);
  return message;
}
