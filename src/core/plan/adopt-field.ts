import { documentOfReplica, nameIn } from '../address.ts';
import type { Desired } from '../desired.ts';
import type { CloudId } from '../resource.ts';
import type { Wanted } from './plan-input.ts';

/** `why`: the reason · `next`: the step that helps; both for people. */
export interface Obstacle {
  readonly why: string;
  readonly next: string;
}

/**
 * The field by which a document takes over an object, as a person writes it.
 *
 *   kind              | field
 *   ------------------+----------------------------------------------------
 *   network, instance | metadata.adopt
 *   subnet            | adopt of its entry in spec.subnets of its Network
 *   group             | adopt of its entry in spec.groups of its Network
 *   firewall-rule     | none
 */
export function adoptField({ kind, address }: Desired, id: CloudId, target: string): string {
  const field = `adopt: { ${target}: ${id} }`;
  const own = nameIn(address, kind).replace(/^[^.]*\./, '');
  switch (kind) {
    case 'subnet':
      return `on ${own} under spec.subnets: ${field}`;
    case 'group':
      return `under spec.groups: - { name: ${own}, ${field} }`;
    case 'network':
    case 'instance':
    case 'firewall-rule':
      return `under metadata: ${field}`;
  }
}

/** Why no document can take over an object as this resource, whatever the object is; undefined where one can. */
export function neverAdopted({ kind, address }: Desired, { desired }: Wanted): Obstacle | undefined {
  if (kind === 'firewall-rule')
    return {
      why: 'A firewall rule cannot be adopted: it belongs to whom its group or network belongs, and elsewhere its mark makes it ours.',
      next: 'Delete or rename the object if it is in the way; Setpoint makes the rule of the document.',
    };
  if (kind !== 'instance') return undefined;
  const document = documentOfReplica(address);
  const replicas = desired.filter((one) => one.kind === kind && documentOfReplica(one.address) === document).length;
  if (replicas <= 1) return undefined;
  return {
    why: `Its document asks for ${replicas} replicas, and one object cannot be adopted as several.`,
    next: 'Write an Instance of its own for the object, with replicas: 1.',
  };
}
