#!/usr/bin/env node
// The command. Runs under whatever Node is first on PATH, and goes on in the pinned one if that is too old.
import { existsSync, readFileSync } from 'node:fs';
import module from 'node:module';
import { fileURLToPath } from 'node:url';
import { handOver } from './hand-over.mjs';
import { isSuitable, NEEDED_MAJOR, pinnedNode } from './pinned-node.mjs';

/** A checkout has the sources, which are run as they are; the published package has only what was built from them. */
function program() {
  const source = new URL('../src/bootstrap/cli.ts', import.meta.url);
  return existsSync(source) ? source : new URL('../dist/src/bootstrap/cli.js', import.meta.url);
}

function goOnInPinnedNode() {
  const node = pinnedNode(import.meta.url);
  if (node === undefined) {
    console.error(
      `setpoint: needs Node ${NEEDED_MAJOR} or later; this is ${process.version} and the packaged one is missing.\n` +
        `Install Node ${NEEDED_MAJOR}, or reinstall setpoint with its optional dependencies (npm install --include=optional).`,
    );
    process.exit(1);
  }
  handOver(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)]);
}

const { argv } = process;
// why: scripts ask for nothing but the version, many times; that needs no other module
if (argv.length === 3 && ['--version', '-V'].includes(argv[2] ?? '')) {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  console.log(version);
} else if (isSuitable(process.versions.node)) {
  // Compiled code is kept between runs: about 50 MB less and a quicker start from the second run on.
  module.enableCompileCache?.();
  await import(program().href);
} else goOnInPinnedNode();
