import { estateSchema } from './estate.ts';
import { firewallRuleSchema } from './firewall-rule.ts';
import { instanceSchema } from './instance.ts';
import { networkSchema } from './network.ts';
import { targetSchema } from './target.ts';

/** The kinds of documents. Adding one: its schema, its type in `document`, a line here, and where this no longer compiles. */
export const schemas = {
  Estate: estateSchema,
  Target: targetSchema,
  Network: networkSchema,
  FirewallRule: firewallRuleSchema,
  Instance: instanceSchema,
} as const;
