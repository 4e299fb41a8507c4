import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after } from 'node:test';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../../sandbox/index.ts';
import { temporaryFolder } from './temporary-folder.ts';

const example = join(import.meta.dirname, '../../../specs');

export interface Sandboxed {
  readonly sandbox: Sandbox;
  /** A folder of specs: the example estate, its target at the sandbox. */
  readonly specs: string;
}

/** A sandbox in this process, its machines up at once, and the example estate pointed at it. */
export async function sandboxed(options: SandboxOptions = {}): Promise<Sandboxed> {
  process.env['AWS_ACCESS_KEY_ID'] = 'test';
  process.env['AWS_SECRET_ACCESS_KEY'] = 'test';
  const sandbox = await startSandbox({ budgets: false, clock: { rate: 100 }, ...options });
  after(() => sandbox.close());
  const files = readdirSync(example).filter((name) => !name.startsWith('schema'));
  const texts = files.map((name) => [
    name,
    readFileSync(join(example, name), 'utf8').replace('http://127.0.0.1:4566', sandbox.url),
  ]);
  return { sandbox, specs: temporaryFolder(Object.fromEntries(texts)) };
}
