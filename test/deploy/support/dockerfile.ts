import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const top = join(import.meta.dirname, '../../..');

/** One line of a Dockerfile, continued lines joined: `COPY`, `bin bin`. */
export interface Instruction {
  readonly name: string;
  readonly rest: string;
}

/** The stages of the Dockerfile, each from its FROM on. */
export function readStages(): readonly (readonly Instruction[])[] {
  const text = readFileSync(join(top, 'Dockerfile'), 'utf8')
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll('\\\n', ' ');
  const stages: Instruction[][] = [];
  for (const line of text.split('\n').filter((each) => each.trim() !== '')) {
    const [, name = '', rest = ''] = /^(\S+)\s+(.*)$/.exec(line) ?? [];
    if (name === 'FROM') stages.push([]);
    stages.at(-1)?.push({ name, rest });
  }
  return stages;
}

/** What is sent to be built from: all that .dockerignore excepts from what it leaves out. */
export function readAdmitted(): readonly string[] {
  const lines = readFileSync(join(top, '.dockerignore'), 'utf8').split('\n');
  const rules = lines.filter((line) => line !== '' && !line.startsWith('#'));
  if (rules[0] !== '*') throw new Error('.dockerignore is to leave out everything that it does not name');
  return rules.slice(1).map((rule) => rule.replace(/^!/, ''));
}
