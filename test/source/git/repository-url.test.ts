import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refusedName } from '../../../src/source/git/ref-name.ts';
import { readRepositoryUrl } from '../../../src/source/git/repository-url.ts';

const rows: readonly { text: string; url?: string; host: string; allowFile?: boolean }[] = [
  { text: 'https://git.acme.example/team/specs.git', host: 'git.acme.example' },
  { text: 'HTTPS://Git.Acme.Example/Team/specs', url: 'https://git.acme.example/Team/specs', host: 'git.acme.example' },
  { text: 'https://git.acme.example:8443/x', host: 'git.acme.example:8443' },
  { text: 'https://dev.azure.com/acme/My%20Project/_git/specs', host: 'dev.azure.com' },
  { text: 'https://git.acme.example/~ada/x', host: 'git.acme.example' },
  { text: 'https://192.0.1.5/x', host: '192.0.1.5' },
  { text: 'https://[2606:4700::1111]/x', host: '[2606:4700::1111]' },
  { text: 'ssh://git@git.acme.example/x.git', host: 'git.acme.example' },
  { text: 'ssh://git.acme.example:2222/~/x', host: 'git.acme.example:2222' },
  { text: 'git@git.acme.example:team/specs.git', host: 'git.acme.example' },
  { text: 'git@forge:team/specs.git', host: 'forge' },
  { text: 'git.acme.example:specs', host: 'git.acme.example' },
  { text: 'git@ssh.dev.azure.com:v3/acme/My%20Project/specs', host: 'ssh.dev.azure.com' },
  { text: '/srv/specs.git', host: '', allowFile: true },
  { text: 'file:///srv/my%20specs.git', url: '/srv/my specs.git', host: '', allowFile: true },
  { text: 'https://127.1:8443/x', url: 'https://127.0.0.1:8443/x', host: '127.0.0.1:8443', allowFile: true },
  { text: 'git@localhost:x', host: 'localhost', allowFile: true },
];

for (const { text, url = text, host, allowFile = false } of rows) {
  test(`an address that git is given: ${text}`, () => {
    const read = readRepositoryUrl(text, allowFile);
    assert.equal(read.refused, undefined);
    assert.deepEqual([read.url?.url, read.url?.name, read.url?.host], [url, url, host]);
  });
}

test('no refusal repeats the address: somebody may have put a password there', () => {
  for (const text of [
    'https://ada:k4nary@git.acme.example/x',
    'http://ada:k4nary@h/x',
    'ssh://a:k4nary@h/x',
    'k4nary',
  ]) {
    const { refused } = readRepositoryUrl(text, false);
    assert.ok(refused !== undefined && !refused.includes('k4nary'), text);
  }
});

for (const name of [
  'main',
  'release/2.0',
  'feature/JIRA-1_x',
  'größe',
  'a.b',
  'v1.0-rc.1',
  'fix#7',
  'a@b',
  'refs/pull/7/head',
])
  test(`a name that git is given: ${name}`, () => assert.equal(refusedName(name), undefined));
