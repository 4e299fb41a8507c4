import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sources } from '../../../src/core/documents/estate.ts';

const source = { name: 'web', repo: 'https://git.acme.example/web.git', owners: ['team-web'] };
const takes = (fields: object): boolean => sources().safeParse([{ ...source, ...fields }]).success;

const repos: readonly { repo: string; sound: boolean; why: string }[] = [
  { repo: 'https://git.acme.example/web.git', sound: true, why: 'https' },
  { repo: 'https://git.acme.example:8443/a/My%20Project/_git/web', sound: true, why: 'https with a port and a space' },
  { repo: 'https://git.acme.example/~ada/web/', sound: true, why: 'a home, and a slash at the end' },
  { repo: 'ssh://git@git.acme.example:22/web.git', sound: true, why: 'ssh' },
  { repo: 'git@git.acme.example:acme/web.git', sound: true, why: 'scp-like' },
  { repo: 'git.acme.example:/srv/web.git', sound: true, why: 'scp-like, from the root' },
  { repo: 'file:///srv/git/web.git', sound: true, why: 'a file URL' },
  { repo: '/srv/git/web.git', sound: true, why: 'a path from the root' },
  { repo: 'http://git.acme.example/web.git', sound: false, why: 'in clear' },
  { repo: 'git://git.acme.example/web.git', sound: false, why: 'in clear, by git itself' },
  { repo: 'https://ada:hunter2@git.acme.example/web.git', sound: false, why: 'a password' },
  { repo: 'https://t0ken@git.acme.example/web.git', sound: false, why: 'a token' },
  { repo: 'ssh://git:hunter2@git.acme.example/web.git', sound: false, why: 'a password for ssh' },
  { repo: 'https://git.acme.example/web.git?token=x', sound: false, why: 'a query' },
  { repo: 'https://git.acme.example/web.git#x', sound: false, why: 'a fragment' },
  { repo: 'ext::sh -c x', sound: false, why: 'a program' },
  { repo: 'ext::sh', sound: false, why: 'a program without arguments' },
  { repo: 'fd::17', sound: false, why: 'a descriptor of this process' },
  { repo: 'file://host/srv/web.git', sound: false, why: 'a file of another host' },
  { repo: '--upload-pack=x', sound: false, why: 'an option' },
  { repo: 'ssh://-oProxyCommand=x/web.git', sound: false, why: 'an option of ssh for a host' },
  { repo: '-oProxyCommand=x:web.git', sound: false, why: 'the same, scp-like' },
  { repo: 'ssh://-ox@git.acme.example/web.git', sound: false, why: 'an option for a user' },
  { repo: 'git@git.acme.example:-x', sound: false, why: 'an option for a path' },
  { repo: 'git@git.acme.example:a/-x', sound: false, why: 'an option for a step' },
  { repo: 'specs', sound: false, why: 'a folder beside whoever runs' },
  { repo: '../specs', sound: false, why: 'a folder above' },
  { repo: '/srv/../etc', sound: false, why: 'a way up' },
  { repo: '/srv/%2E%2e/etc', sound: false, why: 'a way up, escaped' },
  { repo: 'https://git.acme.example/a%0aHost:%20x', sound: false, why: 'a line end, escaped' },
  { repo: 'https://git.acme.example/web.git\n', sound: false, why: 'a line end' },
  { repo: 'C:\\specs', sound: false, why: 'a backslash' },
  { repo: '', sound: false, why: 'nothing' },
  { repo: `/${'a'.repeat(512)}`, sound: false, why: 'more than 512 characters' },
];

for (const { repo, sound, why } of repos)
  test(`a repository ${sound ? 'may' : 'may not'} be ${why}`, () => assert.equal(takes({ repo }), sound));

const branches = ['main', 'release/1.2', 'feature/a+b#7', 'v1.0'];
for (const branch of branches) test(`a branch may be ${branch}`, () => assert.ok(takes({ branch })));
for (const branch of [
  '-f',
  'a/-f',
  'a..b',
  'a.lock',
  'a.lock/b',
  'HEAD@{1}',
  'a b',
  'a~1',
  'a^',
  'a:b',
  '/a',
  'a/',
  '',
])
  test(`a branch may not be ${JSON.stringify(branch)}`, () => assert.ok(!takes({ branch })));

for (const path of ['specs', 'a/b.c', '.', '@web']) test(`a folder may be ${path}`, () => assert.ok(takes({ path })));
for (const path of ['..', 'a/../b', './a', '/a', 'a/', '-a', 'a/-b', '.git', 'a//b', 'a\\b', ':(top)a', ''])
  test(`a folder may not be ${JSON.stringify(path)}`, () => assert.ok(!takes({ path })));

test('a form that cannot be is refused without trying every way to read it', () => {
  const began = process.threadCpuUsage().user;
  for (const repo of [`https://${'a.'.repeat(255)}`, `/${'a/'.repeat(254)}-`, `a@${'a'.repeat(500)}`]) takes({ repo });
  // why: it takes a millisecond. An expression that tries every way takes minutes or never ends.
  assert.ok(process.threadCpuUsage().user - began < 10_000_000);
});
