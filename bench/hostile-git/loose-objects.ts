import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import type { Entry } from './entry.ts';

/** Objects put into a repository as files, as no git would make most of these. https://git-scm.com/book/en/v2/Git-Internals-Git-Objects */
export interface LooseObjects {
  /** A folder with these entries, in the order given. */
  tree(entries: readonly Entry[]): string;
  /** A commit of a tree, by its name. */
  commit(tree: string): string;
}

export function looseObjects(repository: string, fill: (text: string) => string): LooseObjects {
  const write = (type: string, bytes: Buffer, as?: string): string => {
    const whole = Buffer.concat([Buffer.from(`${type} ${bytes.length}\0`), bytes]);
    const id = as ?? createHash('sha1').update(whole).digest('hex');
    const folder = join(repository, 'objects', id.slice(0, 2));
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, id.slice(2)), deflateSync(whole, { level: 1 }));
    return id;
  };
  const commit = (tree: string): string =>
    write('commit', Buffer.from(`tree ${tree}\nauthor ${who}\ncommitter ${who}\n\nhostile\n`));
  const known = new Map<Entry[2], string>();
  const special: Readonly<Record<string, () => string>> = {
    '{commit}': () => commit(write('tree', Buffer.alloc(0))),
    '{missing}': () => 'a'.repeat(40),
    '{forged}': () => write('blob', Buffer.from('# what nobody signed\n'), 'b'.repeat(40)),
  };
  const object = (holds: Entry[2]): string => {
    const id = known.get(holds) ?? (typeof holds === 'string' ? blob(holds) : tree(holds));
    known.set(holds, id);
    return id;
  };
  const blob = (text: string): string => special[text]?.() ?? write('blob', bytesOf(fill(text)));
  const tree = (entries: readonly Entry[]): string =>
    write(
      'tree',
      Buffer.concat(entries.flatMap(([mode, name, holds]) => [head(mode, fill(name)), named(object(holds))])),
    );
  return { tree, commit };
}

const who = 'Mallory <mallory@other.example> 1800000000 +0000';

const head = (mode: string, name: string): Buffer =>
  Buffer.concat([Buffer.from(`${mode} `), bytesOf(name), Buffer.alloc(1)]);

const named = (id: string): Buffer => Buffer.from(id, 'hex');

const bytesOf = (text: string): Buffer =>
  Buffer.concat(
    text.split('{ff}').flatMap((part, index) => (index === 0 ? [] : [Buffer.of(0xff)]).concat(Buffer.from(part))),
  );
