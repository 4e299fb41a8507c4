import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { describe, it } from 'node:test';

const MODULE = new URL('../../bin/hand-over.mjs', import.meta.url).href;

/** Arguments that make a Node hand over to `program`. */
function handingOverTo(program: string, args: readonly string[] = []): string[] {
  const text = `import { handOver } from '${MODULE}'; handOver(${JSON.stringify(program)}, ${JSON.stringify(args)});`;
  return ['--input-type=module', '--eval', text];
}

function handingOverToShell(script: string): string[] {
  return handingOverTo('/bin/sh', ['-c', script]);
}

describe('handing over to another program', () => {
  it('passes its output and its exit code', () => {
    const { stdout, status } = spawnSync(process.execPath, handingOverToShell('echo hello; exit 3'), {
      encoding: 'utf8',
    });
    assert.deepEqual({ stdout, status }, { stdout: 'hello\n', status: 3 });
  });

  it('ends by the signal that ended the program', () => {
    assert.equal(spawnSync(process.execPath, handingOverToShell('kill -KILL $$')).signal, 'SIGKILL');
  });

  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    it(`passes ${signal} on to the program, whose answer counts`, { timeout: 60_000 }, async () => {
      const script = `process.on('${signal}', () => process.exit(42)); console.log('ready'); setInterval(() => {}, 1e3);`;
      const args = handingOverTo(process.execPath, ['--eval', script]);
      const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
      await once(child.stdout, 'data');
      child.kill(signal);
      assert.deepEqual(await once(child, 'exit'), [42, null]);
    });
  }

  it('says what it could not start', () => {
    const { stderr, status } = spawnSync(process.execPath, handingOverTo('/nowhere/node'), { encoding: 'utf8' });
    assert.equal(status, 1);
    assert.match(stderr, /^setpoint: cannot start \/nowhere\/node: /);
  });
});
