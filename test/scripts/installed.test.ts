import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { differing } from '../../scripts/installed.mjs';

type Packages = NonNullable<Parameters<typeof differing>[0]['packages']>;

const LINUX = { platform: 'linux', arch: 'x64' };
const zod = { version: '4.6.7', integrity: 'sha512-a' };

describe('packages that differ from the lock', () => {
  interface Case {
    readonly name: string;
    readonly wanted: Packages;
    readonly held: Packages;
    readonly want: readonly string[];
  }
  const table: readonly Case[] = [
    { name: 'nothing installed yet', wanted: { zod }, held: {}, want: ['zod'] },
    { name: 'the same version and content', wanted: { zod }, held: { zod }, want: [] },
    { name: 'another version', wanted: { zod }, held: { zod: { ...zod, version: '4.6.6' } }, want: ['zod'] },
    { name: 'other content', wanted: { zod }, held: { zod: { ...zod, integrity: 'sha512-b' } }, want: ['zod'] },
    { name: 'the project itself is not a package', wanted: { '': { version: '1.0.0' } }, held: {}, want: [] },
    { name: 'more than the lock names is no matter', wanted: { zod }, held: { zod, yaml: zod }, want: [] },
    optional('for this machine', { os: 'linux', cpu: 'x64' }, ['p']),
    optional('for this machine, as lists', { os: ['darwin', 'linux'], cpu: ['x64'] }, ['p']),
    optional('for another system', { os: ['darwin'] }, []),
    optional('for another processor', { os: ['linux'], cpu: ['arm64'] }, []),
    optional('for all systems but this', { os: ['!linux'] }, []),
    optional('for all systems but another', { os: ['!win32'] }, ['p']),
    optional('bound to a C library', { os: ['linux'], cpu: ['x64'], libc: ['musl'] }, []),
    {
      name: 'for another system, yet not optional: npm would have refused it',
      wanted: { p: { os: ['darwin'] } },
      held: {},
      want: ['p'],
    },
  ];
  for (const { name, wanted, held, want } of table) {
    it(name, () => assert.deepEqual(differing({ packages: wanted }, { packages: held }, LINUX), want));
  }
});

function optional(
  name: string,
  rule: { os?: string | string[]; cpu?: string | string[]; libc?: string[] },
  want: string[],
) {
  return { name: `optional, ${name}`, wanted: { p: { ...zod, optional: true, ...rule } }, held: {}, want };
}
