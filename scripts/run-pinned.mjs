// Plain JavaScript for any Node from 18 on.
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { handOver } from '../bin/hand-over.mjs';
import { NEEDED_MAJOR, suitableNode } from '../bin/pinned-node.mjs';
import { ensureInstalled } from './install.mjs';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

/**
 * Installs what is missing, then goes on as the pinned Node with `args`. Programs that it starts find that Node, and
 * the tools of node_modules, first on PATH. They all share one cache of compiled modules, which halves the processor
 * time of the tests: each file of tests is a process of its own.
 *
 * @param {readonly string[]} args
 */
export async function runPinned(args) {
  try {
    await ensureInstalled(ROOT);
    const node = suitableNode(join(ROOT, 'package.json'));
    if (node === undefined) throw new Error(`no Node ${NEEDED_MAJOR} among the packages; install one, then try again`);
    const path = [dirname(node), join(ROOT, 'node_modules', '.bin'), process.env['PATH'] ?? ''].join(delimiter);
    const compiled = process.env['NODE_COMPILE_CACHE'] ?? join(ROOT, 'node_modules', '.cache', 'compiled');
    handOver(node, args, { ...process.env, PATH: path, NODE_COMPILE_CACHE: compiled });
  } catch (error) {
    console.error(`setpoint: ${error instanceof Error ? error.message : error}`);
    process.exitCode = 1;
  }
}
