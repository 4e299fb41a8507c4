import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Runs this line in a process of its own, and answers how each of the clients' packages was loaded. */
async function loadedBy(line: string): Promise<Readonly<Record<string, string>>> {
  const script = `
    import { registerHooks } from 'node:module';
    const loaded = {};
    registerHooks({ resolve: (specifier, context, next) => {
      if (/^@aws-sdk\\/client-/.test(specifier)) loaded[specifier] ??= context.conditions.includes('require') ? 'required' : 'imported';
      return next(specifier, context);
    } });
    ${line}
    console.log(JSON.stringify(loaded));`;
  const cwd = new URL('../../../', import.meta.url);
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', script], { cwd });
  return JSON.parse(stdout);
}

describe('what is loaded when', () => {
  test('no client, to plan', async () => {
    const loaded = await loadedBy(`
      await import('./providers/aws/index.ts');
      await import('./providers/aws/dialect.ts');
      await import('./providers/aws/rate-limits.ts');`);
    assert.deepEqual(loaded, {});
  });

  test('those of EC2 and STS when a session opens, and required, as importing them takes fifty milliseconds more', async () => {
    const loaded = await loadedBy(`await import('./providers/aws/session.ts');`);
    assert.deepEqual(loaded, { '@aws-sdk/client-ec2': 'required', '@aws-sdk/client-sts': 'required' });
  });
});
