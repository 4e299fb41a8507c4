import type { Desired } from '../../src/core/desired.ts';
import type { Attributes, Kind } from '../../src/core/resource.ts';
import type { Stage } from './stage.ts';
import { labelled } from './subject.ts';

/**
 * Some small change that this kind can take in place here: a label, a description, or a part. Where nothing of it can
 * change (a Google subnet) it is as it was.
 */
export function edited<K extends Kind>({ subject }: Stage, { kind, attributes }: Desired<K>): Attributes[K] {
  if (labelled(subject).includes(kind)) return { ...attributes, labels: { tier: 'new' } };
  if (kind === 'firewall-rule') return { ...attributes, description: 'new' };
  if (kind === 'network' && subject.dialect.holds.network.includes('internet'))
    return { ...attributes, internet: true };
  return attributes;
}

/** Returns whether `edited` changes anything of this kind. */
export const canChange = ({ subject }: Stage, kind: Kind): boolean =>
  labelled(subject).includes(kind) ||
  kind === 'firewall-rule' ||
  (kind === 'network' && subject.dialect.holds.network.includes('internet'));
