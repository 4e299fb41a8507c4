import { join, relative } from 'node:path';
import type { Node, SourceFile } from 'typescript/unstable/ast';
import { createVirtualFileSystem, type FileSystem } from 'typescript/unstable/fs';
import { API } from 'typescript/unstable/sync';

/** A source file as the compiler parsed it. */
export interface ParsedFile {
  /** Relative to its project, such as `src/core/plan.ts`. */
  readonly path: string;
  readonly tree: SourceFile;
}

const CHECKOUT = join(import.meta.dirname, '..', '..', '..');

/** Every TypeScript file that our tsconfig.json includes. One second for 300 files, most of it the compiler's start. */
export function parseCheckout(): readonly ParsedFile[] {
  return parse(CHECKOUT);
}

/** Files that are on no disk: path → text. */
export function parseTexts(texts: Readonly<Record<string, string>>): readonly ParsedFile[] {
  const entries = Object.entries(texts).map(([path, text]) => [`/project/${path}`, text]);
  const config = '{ "compilerOptions": { "noLib": true, "types": [] }, "include": ["**/*.ts"] }';
  return parse(
    '/project',
    createVirtualFileSystem({ '/project/tsconfig.json': config, ...Object.fromEntries(entries) }),
  );
}

function parse(root: string, fs?: FileSystem): readonly ParsedFile[] {
  const compiler = new API({ cwd: root, ...(fs === undefined ? {} : { fs }) });
  try {
    const [project] = compiler.updateSnapshot({ openProjects: [join(root, 'tsconfig.json')] }).getProjects();
    if (project === undefined) throw new Error(`${root}/tsconfig.json opened no project`);
    return project.rootFiles
      .filter((file) => file.endsWith('.ts'))
      .map((file) => ({ path: relative(root, file), tree: project.program.getSourceFile(file) }))
      .filter((file): file is ParsedFile => file.tree !== undefined)
      .sort((a, b) => (a.path < b.path ? -1 : 1));
  } finally {
    compiler.close();
  }
}

/** Every node below `root`, parents first. */
export function* nodesOf(root: Node): Generator<Node> {
  const children: Node[] = [];
  root.forEachChild((child) => void children.push(child));
  for (const child of children) {
    yield child;
    yield* nodesOf(child);
  }
}

/** The position where `node` begins, such as `src/core/plan.ts:12`. */
export function placeOf({ path, tree }: ParsedFile, node: Node): string {
  return `${path}:${lineOf(tree, node.getStart(tree)) + 1}`;
}

/** The line, counted from 0, of a position in the text. */
export function lineOf(tree: SourceFile, position: number): number {
  return tree.getLineAndCharacterOfPosition(position).line;
}
