import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ListenAddress, RunningFleet } from '../../src/cli/context.ts';
import {
  type ListenOptions,
  listenAddressOf,
  runDaemon,
  withFleetOptions,
  withListenOptions,
  withNoListenOption,
} from '../../src/cli/daemon.ts';
import { exitCodes, UserError } from '../../src/cli/errors.ts';
import { defineCommand } from '../../src/cli/options.ts';
import { contextOn } from './support/context.ts';

const here = () => defineCommand('here', { group: 'Run', summary: '', examples: [['here', '']] });

const parsed = (args: readonly string[], isUsual = true): ListenAddress | undefined => {
  const command = withNoListenOption(withListenOptions(here()))
    .exitOverride()
    .configureOutput({ writeErr: () => {} });
  return listenAddressOf(command.parse(args, { from: 'user' }).opts<ListenOptions>(), isUsual);
};

const usual: ListenAddress = { host: '127.0.0.1', port: 7420, isNamed: false };
const named = (host: string, port: number): ListenAddress => ({ host, port, isNamed: true });

const cases: readonly [args: string, want: ListenAddress | undefined][] = [
  ['', usual],
  ['--no-listen', undefined],
  ['--listen 8787', named('127.0.0.1', 8787)],
  ['--listen 0', named('127.0.0.1', 0)],
  ['--listen localhost:80', named('localhost', 80)],
  ['--listen 0.0.0.0:443', named('0.0.0.0', 443)],
  ['--listen [::1]:7420', named('::1', 7420)],
  ['--access a.yaml', { ...usual, access: 'a.yaml' }],
  ['--tls-by-proxy', { ...usual, tls: 'proxy' }],
  ['--tls-cert c --tls-key k', { ...usual, tls: { cert: 'c', key: 'k' } }],
];

const refused: readonly [args: string, why: RegExp][] = [
  ['--listen 65536', /such as 7420, 0\.0\.0\.0:7420/],
  ['--listen host', /such as 7420/],
  ['--listen ::1:80', /such as 7420/],
  ['--listen http://host:80', /such as 7420/],
  ['--listen 8787 --no-listen', /'--listen' cannot be used with option '--no-listen'/],
  ['--no-listen --listen 8787', /'--listen' cannot be used with option '--no-listen'/],
  ['--tls-cert c', /must be used together/],
  ['--tls-key k', /must be used together/],
  ['--tls-cert c --tls-key k --tls-by-proxy', /cannot be used with --tls-cert/],
];

describe('where it listens, as the command line says it', () => {
  for (const [args, want] of cases)
    it(`"${args}"`, () => assert.deepEqual(parsed(args.split(' ').filter(Boolean)), want));
  for (const [args, why] of refused) it(`refuses "${args}"`, () => assert.throws(() => parsed(args.split(' ')), why));
  it('serve and worker refuse both, as an error of usage', () => {
    const command = withFleetOptions(here())
      .exitOverride()
      .configureOutput({ writeErr: () => {} });
    const both = ['--no-listen', '--listen', '0'];
    assert.throws(() => command.parse(both, { from: 'user' }), { name: 'CommanderError', exitCode: 1 });
  });
  it('nowhere by itself, for a worker', () => assert.equal(parsed([], false), undefined));
  it('refuses to say how, where it listens nowhere', () =>
    assert.throws(() => parsed(['--tls-by-proxy'], false), /TLS and access options need a listen address/));
});

describe('a daemon with parts that fail to close', () => {
  const stopped = contextOn({ signal: AbortSignal.abort() });
  const closed: string[] = [];

  /** Closes three parts, the last one first. Two of them fail. */
  async function closeParts(): Promise<void> {
    closed.length = 0;
    await using parts = new AsyncDisposableStack();
    for (const name of ['store', 'queue', 'server'])
      parts.defer(async () => {
        closed.push(name);
        if (name !== 'server') throw new Error(`${name}: not closed`);
      });
  }

  const daemon = (start: () => Promise<RunningFleet>) => runDaemon({ name: 'The worker', start }, stopped);

  it('closes every part when it stops, and ends with the first error', async () => {
    await assert.rejects(
      daemon(async () => ({ stop: closeParts })),
      { message: 'queue: not closed' },
    );
    assert.deepEqual(closed, ['server', 'queue', 'store']);
  });

  it('closes every part when it cannot start, and says its first error', async () => {
    const failing = daemon(async () => {
      await using parts = new AsyncDisposableStack();
      parts.defer(closeParts);
      throw new Error('port 7420 is taken');
    });
    await assert.rejects(failing, (error) => {
      assert.ok(error instanceof UserError);
      assert.deepEqual([error.message, error.details.why], ['The worker cannot start.', 'port 7420 is taken']);
      return true;
    });
    assert.deepEqual(closed, ['server', 'queue', 'store']);
  });

  it('starts and stops without an error where all of them close', async () =>
    assert.equal(await daemon(async () => ({ stop: async () => {} })), exitCodes.done));
});
