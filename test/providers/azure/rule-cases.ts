import type { SecurityRule } from '@azure/arm-network';
import { noPort, report, web } from './rule-cases/report.ts';
import type { RuleRow } from './rule-cases/rule-row.ts';
import { sideCases } from './rule-cases/sides.ts';
import { trafficCases } from './rule-cases/traffic.ts';

/** The words of the rule itself, and all that the cloud adds. */
const ruleWords: readonly RuleRow[] = [
  { id: 'as sent', name: 'the words we would send', spec: {}, cloud: report(), want: 'same' },
  { id: 'Z20', name: 'another priority', spec: { priority: 200 }, cloud: report(), want: 'drift' },
  {
    id: 'Z22',
    name: 'what the cloud adds',
    spec: {},
    cloud: {
      ...report(),
      id: `${web}/x`,
      name: 'x',
      type: 'y',
      etag: 'W/"1"',
      provisioningState: 'Succeeded',
    } as SecurityRule, // why: an answer has more than the SDK's type lets one write
    want: 'same',
  },
  { id: 'Z25', name: 'allow is Allow', spec: {}, cloud: report({ access: 'allow' }), want: 'same' },
  { id: 'Z25', name: 'inbound is Inbound', spec: {}, cloud: report({ direction: 'inbound' }), want: 'same' },
  { id: 'Z25', name: 'DENY is Deny', spec: { action: 'deny' }, cloud: report({ access: 'DENY' }), want: 'same' },
  { id: 'Z25', name: 'deny against allow', spec: {}, cloud: report({ access: 'Deny' }), want: 'drift' },
  {
    id: 'Z25',
    name: 'OUTBOUND is Outbound, with the sides changed',
    spec: { direction: 'egress' },
    cloud: {
      ...noPort,
      direction: 'OUTBOUND',
      destinationPortRange: '443',
      sourceAddressPrefix: '',
      sourceApplicationSecurityGroups: [{ id: web }],
      destinationAddressPrefix: '10.0.0.0/8',
      destinationApplicationSecurityGroups: [],
    },
    want: 'same',
  },
  { id: 'text', name: 'a description more', spec: { description: 'public' }, cloud: report(), want: 'drift' },
  { id: 'text', name: 'an empty one is none', spec: {}, cloud: report({ description: '' }), want: 'same' },
];

/**
 * The equivalences of Azure's security rules: what a spec says, what the cloud reports, and whether that is drift. Ids are
 * those of the project's table of cases; objects are in normalisation-objects.test.ts. Z17, Z19 and Z20 are not about spelling:
 * the planner numbers rules (test/core/plan), and the swap of two numbers is in firewall-rule.test.ts.
 */
export const ruleCases: readonly RuleRow[] = [...trafficCases, ...sideCases, ...ruleWords];
