import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { writeLogins } from '../../../src/cli/api-client/logins.ts';
import { apiClientFor, type ServerSupport, withServerEstateOption } from '../../../src/cli/api-client/server-option.ts';
import { UserError } from '../../../src/cli/errors.ts';
import { defineCommand } from '../../../src/cli/options.ts';
import { contextOn } from '../support/context.ts';
import { fakeTerminal } from '../support/fake-terminal.ts';
import { clockOfWaits } from '../support/in-process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const home = temporaryFolder();
const [here, there] = ['https://here.example', 'https://there.example'];
await writeLogins(join(home, 'setpoint/logins.json'), {
  last: here,
  servers: { [here]: { token: 'of-here', person: 'ann' } },
});

const plain = (name: string) => defineCommand(name, { group: 'Look', summary: '', examples: [] });

interface Asked {
  readonly url: string | undefined;
  readonly token: string | null;
  readonly stderr: string;
}

const serverSupport: ServerSupport = { localOptions: ['allowEndpoint'], serverOptions: ['estate'], takesDir: false };

/** The server that a verb with a folder of specs would call, and the token. */
async function asked(line: string, env: Readonly<Record<string, string>> = {}, of = serverSupport): Promise<Asked> {
  const terminal = fakeTerminal();
  const context = contextOn({ terminal, clock: clockOfWaits() });
  let token: string | null = null;
  const fetching: typeof fetch = async (_, init) => {
    token = new Headers(init?.headers).get('authorization');
    return new Response('{}', { headers: { 'content-type': 'application/json' } });
  };
  let url: string | undefined;
  const look = withServerEstateOption(plain('look').argument('[dir]', 'specs', 'specs'))
    .option('--allow-endpoint')
    .action(async (_dir: string, _options: object, command: ReturnType<typeof plain>) => {
      const client = await apiClientFor(command, of, context, {
        env: { XDG_CONFIG_HOME: home, ...env },
        fetch: fetching,
      });
      url = client?.url;
      await client?.request({ method: 'GET', path: '/v1/whoami' }, (value) => value);
    });
  look.exitOverride().configureOutput({ writeErr: () => undefined });
  const root = plain('setpoint').option('--dir <folder>', 'store', '.setpoint').option('--active');
  root.exitOverride().addCommand(look);
  await root.parseAsync(line.split(' '), { from: 'user' });
  return { url, token, stderr: terminal.stderr() };
}

describe('whom a verb asks', () => {
  test('nobody, without a word of a server: not even one that is logged in to', async () => {
    assert.deepEqual(await asked('look'), { url: undefined, token: null, stderr: '' });
    assert.deepEqual(await asked('look specs', { SETPOINT_SERVER: '', SETPOINT_TOKEN: 'x' }), {
      url: undefined,
      token: null,
      stderr: '',
    });
  });

  /** A command line and its environment, its server, and the token that it sends. */
  const rows: readonly (readonly [line: string, env: Record<string, string>, url: string, token: string])[] = [
    ['look --server https://here.example', {}, here, 'of-here'],
    ['look --server https://here.example/', {}, here, 'of-here'],
    ['look --server last', {}, here, 'of-here'],
    ['look --server https://there.example', { SETPOINT_TOKEN: 'of-env' }, there, 'of-env'],
    ['look --server https://here.example', { SETPOINT_TOKEN: 'of-env' }, here, 'of-env'],
    ['look --server https://here.example', { SETPOINT_SERVER: there, SETPOINT_TOKEN: 't' }, here, 't'],
  ];
  for (const [line, env, url, token] of rows)
    test(`${line} ${Object.keys(env)}`, async () =>
      assert.deepEqual(await asked(line, env), { url, token: `Bearer ${token}`, stderr: '' }));

  test('the one of the environment, and says so', async () => {
    const { url, stderr } = await asked('look', { SETPOINT_SERVER: 'last' });
    assert.deepEqual([url, stderr], [here, `Using ${here} from SETPOINT_SERVER.\n`]);
  });
});

/** Refused options, with their messages. */
const refused: readonly (readonly [
  line: string,
  env: Record<string, string>,
  what: RegExp,
  serverSupport?: ServerSupport,
])[] = [
  ['look --server specs', {}, /^"specs" is not the address of a server/],
  ['look --server specs --allow-endpoint', {}, /^"specs" is not the address of a server/],
  ['look --server https://there.example', {}, /^You are not logged in to https:\/\/there\.example/],
  ['look --server last', { XDG_CONFIG_HOME: '/nonexistent' }, /^You are not logged in to any server/],
  ['look specs --server last', {}, /^The folder specs cannot be used with a server/],
  ['look --server last specs', {}, /^The folder specs cannot be used with a server/],
  ['look --allow-endpoint --server last', {}, /^--allow-endpoint cannot be used with a server/],
  ['look --allow-endpoint', { SETPOINT_SERVER: 'last' }, /^--allow-endpoint cannot be used with a server/],
  ['--dir .setpoint look --server last', {}, /^--dir cannot be used with a server/],
  ['look --active --server last', {}, /^--active cannot be used with a server/],
  ['look --estate acme', {}, /^--estate needs --server/],
];

describe('what is refused by its name', () => {
  for (const [line, env, what, of] of refused)
    test(`${line} ${Object.keys(env)}`, () =>
      assert.rejects(asked(line, env, of), (error) => error instanceof UserError && what.test(error.message)));

  test('a server without its address: nothing stands in for it', () =>
    assert.rejects(asked('look specs --server'), /argument missing/));

  test('but a folder where the verb sends one', async () => {
    assert.equal((await asked('look specs --server last', {}, { ...serverSupport, takesDir: true })).url, here);
  });
});
