import type { Launch } from '../../../src/ports/provider.ts';

/**
 * User data for the first boot of a machine, in base64 as RunInstances requires it.
 *
 *   user data | access | sent
 *   ----------+--------+------------------------------------------------
 *   no        | no     | nothing
 *   yes       | no     | the user data
 *   no        | yes    | a cloud-config that makes the user with its keys
 *   yes       | yes    | both, as parts of one MIME message
 *
 * https://cloudinit.readthedocs.io/en/latest/explanation/format.html
 */
export function userDataOf({ userData, access }: Launch): string | undefined {
  const config = access === undefined ? undefined : cloudConfig(access);
  const text = userData !== undefined && config !== undefined ? multipart([config, userData]) : (userData ?? config);
  return text === undefined ? undefined : Buffer.from(text, 'utf8').toString('base64');
}

/** JSON is YAML: nothing in a name or key can break out of its quotes. */
function cloudConfig({ user, sshKeys }: NonNullable<Launch['access']>): string {
  const users = [
    'default',
    { name: user, shell: '/bin/bash', sudo: 'ALL=(ALL) NOPASSWD:ALL', lock_passwd: true, ssh_authorized_keys: sshKeys },
  ];
  return `#cloud-config\n${JSON.stringify({ users }, null, 2)}\n`;
}

const boundary = '==setpoint==';

/** Parts go as base64, so that no line of theirs can be taken for the boundary. */
function multipart(texts: readonly string[]): string {
  const parts = texts.map((text) =>
    [
      `--${boundary}`,
      `Content-Type: ${typeOf(text)}; charset="utf-8"`,
      'MIME-Version: 1.0',
      'Content-Transfer-Encoding: base64',
      '',
      Buffer.from(text, 'utf8').toString('base64'),
      '',
    ].join('\n'),
  );
  return `Content-Type: multipart/mixed; boundary="${boundary}"\nMIME-Version: 1.0\n\n${parts.join('')}--${boundary}--\n`;
}

function typeOf(text: string): string {
  if (text.startsWith('#cloud-config')) return 'text/cloud-config';
  return text.startsWith('#!') ? 'text/x-shellscript' : 'text/plain';
}
