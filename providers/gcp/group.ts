import type { Result } from '../../src/core/failure.ts';
import type { Actuator } from '../../src/ports/provider.ts';
import { failed } from '../shared/answer.ts';

/**
 * Groups are network tags here: names that instances and firewalls bear (https://cloud.google.com/vpc/docs/add-remove-network-tags).
 * Nothing stands for a tag, so there is nothing to list, and a plan never asks to make one.
 */
export function groupActuator(): Actuator<'group'> {
  return {
    list: async function* () {},
    read: async (ids) => ids.map(() => ({ ok: true, value: undefined })),
    create: async (batch) => batch.map(() => noObject),
    update: async (batch) => batch.map(() => noObject),
    delete: async (batch) => batch.map(() => noObject),
  };
}

const noObject: Result<never> = failed(
  'terminal',
  'NoObject',
  'on Google Cloud a group is a network tag, not an object: naming it in instances and rules is enough',
);
