import type { Launch } from '../../../src/ports/provider.ts';

/**
 * Metadata for the first boot of a machine, under the keys that its image reads.
 *
 *   input                        | key            | reader
 *   -----------------------------+----------------+---------------------------------------------------------------
 *   user data, `#cloud-config`   | user-data      | cloud-init, https://cloudinit.readthedocs.io/en/latest/reference/datasources/gce.html
 *   other user data              | startup-script | the guest agent, at every start: https://cloud.google.com/compute/docs/instances/startup-scripts/linux
 *   access                       | ssh-keys       | the guest agent, https://cloud.google.com/compute/docs/connect/add-ssh-keys#add_ssh_keys_to_instance_metadata
 */
export function bootMetadata({ userData, access }: Launch): Readonly<Record<string, string>> {
  return {
    ...(userData === undefined
      ? {}
      : { [userData.startsWith('#cloud-config') ? 'user-data' : 'startup-script']: userData }),
    ...(access === undefined ? {} : { 'ssh-keys': access.sshKeys.map((key) => `${access.user}:${key}`).join('\n') }),
  };
}
