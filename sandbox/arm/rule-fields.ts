import { listOf, optional } from '../json.ts';
import { scalar } from '../json-scalar.ts';
import { fields, readOnly } from './body.ts';
import { reference } from './interface-fields.ts';

const text = optional(scalar('string'));

const texts = optional(listOf(scalar('string')));

const references = optional(listOf(reference));

/** A security rule as a client writes it, inline or on its own. */
export const ruleForm = fields({
  name: text,
  properties: fields({
    description: text,
    protocol: text,
    access: text,
    direction: text,
    priority: optional(scalar('number')),
    sourceAddressPrefix: text,
    sourceAddressPrefixes: texts,
    sourceApplicationSecurityGroups: references,
    sourcePortRange: text,
    sourcePortRanges: texts,
    destinationAddressPrefix: text,
    destinationAddressPrefixes: texts,
    destinationApplicationSecurityGroups: references,
    destinationPortRange: text,
    destinationPortRanges: texts,
    provisioningState: readOnly,
  }),
  id: readOnly,
  etag: readOnly,
  type: readOnly,
});

export type RuleForm = ReturnType<typeof ruleForm>;
