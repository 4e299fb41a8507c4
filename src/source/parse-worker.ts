import { once } from 'node:events';
import { parentPort, workerData } from 'node:worker_threads';
import type { Document } from '../core/documents/document.ts';
import type { Located, Tree } from '../core/documents/tree.ts';
import { parseSpecs } from './parse-specs.ts';
import type { Parsed, Parsing } from './parse-thread.ts';

// The thread of `parseSpecsAside`.

/** Values and keys that are handed over at once: their receiver makes them anew, a few microseconds each. */
const piece = 2_000;

async function main(port: NonNullable<typeof parentPort>, { files, today }: Parsing): Promise<void> {
  const { documents, ended = [], problems } = parseSpecs(files, today);
  for (const some of piecesOf(documents)) {
    const message = once(port, 'message');
    port.postMessage({ documents: some.map(sent) } satisfies Parsed);
    await message;
  }
  port.postMessage({ problems, ended: ended.map(sent) } satisfies Parsed);
}

const sent = ({ value, tree }: Located<Document>) => ({ value, tree });

function* piecesOf(documents: readonly Located<Document>[]): Generator<readonly Located<Document>[]> {
  let some: Located<Document>[] = [];
  let size = 0;
  for (const document of documents) {
    some.push(document);
    size += sizeOf(document.tree);
    if (size < piece) continue;
    yield some;
    some = [];
    size = 0;
  }
  if (some.length > 0) yield some;
}

function sizeOf(tree: Tree): number {
  switch (tree.kind) {
    case 'scalar':
      return 1;
    case 'list':
      return tree.items.reduce((sum, item) => sum + sizeOf(item), 1);
    case 'map':
      return [...tree.entries.values()].reduce((sum, { value }) => sum + sizeOf(value), 1);
  }
}

if (parentPort === null) throw new Error('this file is a thread of parse-thread.ts');
await main(parentPort, workerData);
