import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ListenAddress } from '../../src/cli/context.ts';
import {
  type ListenOptions,
  listenAddressOf,
  withFleetOptions,
  withListenOptions,
  withNoListenOption,
} from '../../src/cli/daemon.ts';
import { defineCommand } from '../../src/cli/options.ts';

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
