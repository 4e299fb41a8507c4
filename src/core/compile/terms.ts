import type { Terms } from '../desired.ts';
import { activeIgnores, effectiveDeletionPolicy, type ResourceDoc } from '../documents/effective-terms.ts';
import { criticalityAt, modeAt, type Site } from './site.ts';

/** The fields that a person writes under `ignore`, and their paths in our attributes. Labels and disk keep their names. */
const fields: Readonly<Record<string, string>> = {
  image: 'machine.image',
  size: 'machine.size',
  identity: 'machine.identity',
  power: 'machine.power',
  subnet: 'placement.subnet',
  publicIp: 'placement.publicIp',
  userData: 'boot.userData',
  access: 'boot.access',
  priority: 'order.priority',
  disabled: 'order.disabled',
  log: 'order.log',
};

/** The terms of every resource that a document makes on a target. */
export function termsOf(document: ResourceDoc, site: Site): Terms {
  const ignored = activeIgnores(document, site.today).map(({ field }) => attributeOf(field));
  return {
    mode: modeAt(site, document.spec.mode),
    protect: document.spec.protect,
    deletionPolicy: effectiveDeletionPolicy(document, site.estate),
    ...criticalityAt(site, document.spec.criticality),
    ...(ignored.length > 0 ? { ignore: ignored } : {}),
  };
}

/** The path in our attributes of a field as people write it: `size` is `machine.size`. */
export const attributeOf = (field: string): string => fields[field] ?? field;

/** The same, the other way round. */
export const documentFieldOf = (attribute: string): string =>
  Object.keys(fields).find((field) => fields[field] === attribute) ?? attribute;
