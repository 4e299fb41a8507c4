import type { NetworkProfile, OSProfile, StorageProfile, VirtualMachine } from '@azure/arm-compute';
import { imageToLaunch } from '../../../src/core/kinds/instance.ts';
import type { Creation, Launch } from '../../../src/ports/provider.ts';
import { partsOfId } from '../ids.ts';
import { markTags } from '../marks.ts';
import { placeOf } from '../place.ts';
import { identityAtLaunch } from './identity.ts';
import { imageReferenceOf } from './image.ts';
import { partIdOf } from './parts.ts';

/** A machine as it is sent: its parts go with it, and its mark says what it will not tell of how it was made. */
export function machineBody({ desired, mark }: Creation<'instance'>, nicId: string, launch: Launch): VirtualMachine {
  const { address, name, attributes } = desired;
  const { machine, boot, labels } = attributes;
  const hashes = { 'user-data': boot?.userData ?? '', access: boot?.access ?? '' };
  return {
    location: placeOf(address, 'instance').location,
    tags: { ...labels, ...markTags(mark, hashes) },
    ...(machine.identity === undefined ? {} : { identity: identityAtLaunch(machine.identity, address) }),
    hardwareProfile: { vmSize: machine.size },
    storageProfile: storageOf(desired),
    osProfile: systemOf(name, launch),
    networkProfile: networkOf(nicId),
  };
}

const networkOf = (id: string): NetworkProfile => ({
  networkInterfaces: [{ id, primary: true, deleteOption: 'Delete' }],
});

function storageOf({ address, name: machineName, attributes }: Creation<'instance'>['desired']): StorageProfile {
  const { machine, disk } = attributes;
  const { name } = partsOfId(partIdOf('disk', placeOf(address, 'instance'), machineName));
  return {
    imageReference: imageReferenceOf(imageToLaunch(machine)),
    osDisk: {
      name,
      createOption: 'FromImage',
      deleteOption: 'Delete',
      ...(disk?.size === undefined ? {} : { diskSizeGB: disk.size }),
      ...(disk?.type === undefined ? {} : { managedDisk: { storageAccountType: disk.type } }),
    },
  };
}

function systemOf(name: string, { userData, access }: Launch): OSProfile {
  const { user = '', sshKeys = [], password } = access ?? {};
  return {
    computerName: computerName(name),
    adminUsername: user,
    ...(password === undefined ? {} : { adminPassword: password }),
    ...(userData === undefined ? {} : { customData: Buffer.from(userData, 'utf8').toString('base64') }),
    linuxConfiguration: {
      disablePasswordAuthentication: password === undefined,
      ssh: { publicKeys: sshKeys.map((keyData) => ({ path: `/home/${user}/.ssh/authorized_keys`, keyData })) },
    },
  };
}

/** Letters, digits and hyphens, at most 64: https://learn.microsoft.com/azure/azure-resource-manager/management/resource-name-rules#microsoftcompute */
const computerName = (name: string): string => name.replace(/[^a-z0-9-]/gi, '-').slice(0, 64);
