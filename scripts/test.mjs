// npm test [-- FLAG… FILE…]: all tests, or those of the named files; flags are those of `node --test`, as --flag=value.
// Plain JavaScript for any Node from 18 on.
import { availableParallelism } from 'node:os';
import { runPinned } from './run-pinned.mjs';

// The tests' command lines must not call a server that this terminal names.
delete process.env['SETPOINT_SERVER'];
delete process.env['SETPOINT_TOKEN'];

const args = process.argv.slice(2);
const files = args.filter((arg) => arg.endsWith('.ts'));
const flags = args.filter((arg) => !arg.endsWith('.ts'));

// Node's own default is one file fewer than there are cores. Ours wait for databases, clocks and other processes for more
// than half of their time, and none is judged by how long it takes: two for each core keep the cores at work.
const atOnce = Math.max(2, 2 * availableParallelism());

await runPinned([
  '--test',
  `--test-concurrency=${atOnce}`,
  ...flags,
  ...(files.length > 0 ? files : ['test/**/*.test.ts']),
]);
