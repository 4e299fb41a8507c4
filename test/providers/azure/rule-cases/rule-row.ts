import type { SecurityRule } from '@azure/arm-network';

/** What a spec says, what the cloud reports, and whether that is drift. */
export interface RuleRow {
  /** As in the project's table of cases. */
  readonly id: string;
  readonly name: string;
  readonly spec: Said;
  readonly cloud: SecurityRule;
  readonly want: 'same' | 'drift';
}

/** What is left out is said as in the plainest rule. */
export interface Said {
  readonly protocol?: string;
  readonly action?: 'allow' | 'deny';
  readonly direction?: 'ingress' | 'egress';
  readonly ports?: readonly string[];
  readonly peers?: readonly string[];
  readonly description?: string;
  readonly priority?: number;
}
