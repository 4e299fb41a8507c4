import assert from 'node:assert/strict';
import { test } from 'node:test';
import { userDataOf } from '../../../providers/aws/instance/user-data.ts';

const access = { user: 'ops', sshKeys: ['ssh-ed25519 AAAA "quoted"\n#cloud-config'] };
const textOf = (launch: Parameters<typeof userDataOf>[0]): string =>
  Buffer.from(userDataOf(launch) ?? '', 'base64').toString();

test('nothing is sent where nothing is asked', () => assert.equal(userDataOf({}), undefined));

test('user data goes as it is', () => assert.equal(textOf({ userData: '#!/bin/sh\nécho\n' }), '#!/bin/sh\nécho\n'));

test('access is a cloud-config, and nothing in a key breaks out of it', () => {
  const [head = '', ...rest] = textOf({ access }).split('\n');
  assert.equal(head, '#cloud-config');
  const { users } = JSON.parse(rest.join('\n'));
  assert.equal(users[0], 'default');
  assert.deepEqual([users[1].name, users[1].ssh_authorized_keys], ['ops', access.sshKeys]);
});

test('both are parts of one message, each told by its kind', () => {
  const parts = textOf({ userData: '#!/bin/sh\n--==setpoint==--\n', access }).split('--==setpoint==');
  assert.equal(parts.length, 4, 'a head, two parts, an end');
  assert.match(parts[1] ?? '', /Content-Type: text\/cloud-config/);
  assert.match(parts[2] ?? '', /Content-Type: text\/x-shellscript/);
  const [, body = ''] = (parts[2] ?? '').split('\n\n');
  assert.equal(Buffer.from(body, 'base64').toString(), '#!/bin/sh\n--==setpoint==--\n');
});
