// node scripts/run.mjs PROGRAM [ARG…]: installs what is missing, then runs PROGRAM on the pinned Node.
// Plain JavaScript for any Node from 18 on; every script of package.json begins here.
import { runPinned } from './run-pinned.mjs';

await runPinned(process.argv.slice(2));
