import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { startHealth } from '../../src/telemetry/health.ts';
import { run } from '../integration/support/child.ts';

const top = join(import.meta.dirname, '../..');

/** One line of a Dockerfile, continued lines joined: `COPY`, `bin bin`. */
interface Instruction {
  readonly name: string;
  readonly rest: string;
}

/** The stages of the Dockerfile, each from its FROM on. */
function readStages(): readonly (readonly Instruction[])[] {
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

/** The build context: the exceptions of .dockerignore from its exclusions. What a build or npm made in a folder is left out after it. */
function readAdmitted(): readonly string[] {
  const lines = readFileSync(join(top, '.dockerignore'), 'utf8').split('\n');
  const rules = lines.filter((line) => line !== '' && !line.startsWith('#'));
  if (rules[0] !== '*') throw new Error('.dockerignore is to leave out everything that it does not name');
  const made = rules.slice(1).filter((rule) => /\/(?:node_modules|dist)$/.test(rule));
  return rules.slice(1).flatMap((rule) => (made.includes(rule) ? [] : [rule.replace(/^!/, '')]));
}

const stages = readStages();
const image = stages.at(-1) ?? [];
const all = (instructions: readonly Instruction[], name: string): readonly string[] =>
  instructions.filter((each) => each.name === name).map(({ rest }) => rest);
const only = (name: string): string => {
  const [found, ...more] = all(image, name);
  assert.ok(found !== undefined && more.length === 0, `one ${name}`);
  return found;
};

describe('the image', () => {
  it('runs as a plain user, from before its command on', () => {
    assert.equal(only('USER'), '10001:10001');
    const names = image.map(({ name }) => name);
    assert.ok(names.lastIndexOf('RUN') < names.indexOf('USER'), 'nothing is made by the plain user');
    assert.match(all(image, 'RUN').join(), /--owner=10001 --group=10001 --mode=0700 \/data/);
  });

  it('is built from what exists, and nothing else is sent to be built from', () => {
    const copied = stages
      .flatMap((stage) => all(stage, 'COPY'))
      .filter((rest) => !rest.startsWith('--from='))
      .flatMap((rest) => rest.split(' ').slice(0, -1));
    for (const path of copied) assert.ok(existsSync(path), path);
    assert.deepEqual([...new Set(copied)].sort(), [...readAdmitted()].sort());
  });

  it('holds what was built, and no sources', () => {
    const copied = all(image, 'COPY');
    assert.ok(copied.includes('--from=build /build/dist dist'));
    for (const rest of copied) assert.doesNotMatch(rest, /\b(src|providers|test|scripts)\b/);
  });

  it('runs on the Node that all of this is written for, in every stage', () => {
    for (const stage of stages) assert.match(stage[0]?.rest ?? '', /^node:24-slim( AS \w+)?$/);
  });

  it('is asked for its health where its command answers', () => {
    const command: string[] = JSON.parse(only('CMD'));
    const [, port] = /127\.0\.0\.1:(\d+)\/livez/.exec(only('HEALTHCHECK')) ?? [];
    assert.deepEqual(command.slice(-2), ['--health-port', port]);
  });
});

describe('the image’s health check', () => {
  const text = only('HEALTHCHECK');
  const check: string[] = JSON.parse(text.slice(text.indexOf('CMD') + 3));

  /** Its exit code, asking that port. */
  const askedAt = async (port: string): Promise<number> => {
    const [node, ...args] = check.map((each) => each.replace(':9464/', `:${port}/`));
    assert.equal(node, 'node');
    const env = { PATH: process.env['PATH'] };
    return (await run(process.execPath, args, { cwd: '/', env, timeoutMs: 20_000 })).code;
  };

  it('holds while the worker answers, whatever is out of its reach, and then no longer', async () => {
    const health = await startHealth({
      port: 0,
      state: {
        reaches: [{ name: 'redis', needed: true, look: () => ({ ok: false, reason: 'away' }), stop: () => undefined }],
        stopping: AbortSignal.abort(),
        metrics: async () => ({ type: 'text/plain', text: '' }),
        rateLimits: async () => [],
      },
    });
    after(() => health.close());
    const { port } = new URL(health.url);
    assert.equal(await askedAt(port), 0);
    await health.close();
    assert.equal(await askedAt(port), 1);
  });
});
