import type { z } from 'zod';
import type { DeepReadonly } from './deep-readonly.ts';
import type { estateSchema } from './estate.ts';
import type { firewallRuleSchema } from './firewall-rule.ts';
import type { instanceSchema } from './instance.ts';
import type { networkSchema } from './network.ts';
import type { targetSchema } from './target.ts';

/** A checked document: names canonical, defaults filled in, unowned fields absent when left out. */
export type Document = EstateDoc | TargetDoc | NetworkDoc | FirewallRuleDoc | InstanceDoc;

export type EstateDoc = DeepReadonly<z.output<typeof estateSchema>>;
export type TargetDoc = DeepReadonly<z.output<typeof targetSchema>>;
export type NetworkDoc = DeepReadonly<z.output<typeof networkSchema>>;
export type FirewallRuleDoc = DeepReadonly<z.output<typeof firewallRuleSchema>>;
export type InstanceDoc = DeepReadonly<z.output<typeof instanceSchema>>;
