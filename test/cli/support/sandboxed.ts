import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after } from 'node:test';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../../sandbox/index.ts';
import { temporaryFolder } from './temporary-folder.ts';

const example = join(import.meta.dirname, '../../support/aws-estate');

export interface Sandboxed {
  readonly sandbox: Sandbox;
  /** A folder of specs: a small estate on AWS, its target at the sandbox. */
  readonly specs: string;
}

/** A sandbox in this process, its machines up at once, and a small estate on AWS pointed at it. */
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

/** Changes the first place in a spec that reads so. */
export function edit(specs: string, file: string, from: string, to: string): void {
  const path = join(specs, file);
  const text = readFileSync(path, 'utf8');
  if (!text.includes(from)) throw new Error(`${file} does not say ${from}`);
  writeFileSync(path, text.replace(from, to));
}
