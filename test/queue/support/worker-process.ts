// A worker whose reconciles never end. Its argument: {backend, name, pace} as JSON. Says "ready" and "began" on stdout.
import { openQueue } from '../../../src/queue/queue.ts';
import { quickTries } from './harness.ts';

const { backend, name, pace } = JSON.parse(process.argv[2] ?? '');
const queue = await openQueue(backend, { clouds: ['aws'], name, pace, tries: quickTries });
await queue.work({
  atOnce: 1,
  reconcile: () => {
    process.stdout.write('began\n');
    return new Promise(() => {});
  },
  poisoned: async () => {},
});
process.stdout.write('ready\n');
