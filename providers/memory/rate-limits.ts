import type { BatchLimits } from '../../src/core/batches.ts';
import type { ScopeKey } from '../../src/core/resource.ts';
import type { Budget, Cost, Request } from '../../src/ports/limiter.ts';
import { type ActionName, type Input, reads } from './cloud/calls.ts';

/** Budgets in the shape of EC2's: one bucket for each action, and one more for the machines a call moves. */
const source = 'https://docs.aws.amazon.com/ec2/latest/devguide/ec2-api-throttling.html';
const reading: Budget = { shape: 'bucket', capacity: 100, perSecond: 20, source };
const writing: Budget = { shape: 'bucket', capacity: 50, perSecond: 5, source };
const tagging: Budget = { shape: 'bucket', capacity: 100, perSecond: 10, source };
const launching: Budget = { shape: 'bucket', capacity: 5, perSecond: 2, source };
const launched: Budget = { shape: 'bucket', capacity: 1000, perSecond: 2, source, counts: 'resources' };
const ended: Budget = { shape: 'bucket', capacity: 1000, perSecond: 20, source, counts: 'resources' };

const calls: Partial<Readonly<Record<ActionName, Budget>>> = {
  RunInstances: launching,
  StartInstances: launching,
  TagObjects: tagging,
  UntagObjects: tagging,
};

const machines: Partial<Readonly<Record<ActionName, Budget>>> = {
  RunInstances: launched,
  StartInstances: launched,
  StopInstances: ended,
  TerminateInstances: ended,
};

/** Most of each that one call takes. */
export const atOnce = { tagged: 1000, terminated: 1000, launched: 1000, rules: 1000 } as const;

/** Most actions of one call. */
export const batches: BatchLimits = {
  'network/adopt': atOnce.tagged,
  'subnet/adopt': atOnce.tagged,
  'group/adopt': atOnce.tagged,
  'instance/adopt': atOnce.tagged,
  'network/update': atOnce.tagged,
  'subnet/update': atOnce.tagged,
  'group/update': atOnce.tagged,
  'firewall-rule/create': atOnce.rules,
  'firewall-rule/update': atOnce.rules,
  'firewall-rule/delete': atOnce.rules,
  'instance/create': atOnce.launched,
  'instance/update': atOnce.tagged,
  'instance/delete': atOnce.terminated,
};

/** The costs of a request, by rate limit. */
export function requestOf<A extends ActionName>(scope: ScopeKey, action: A, input: Input<A>): Request {
  const mutating = !reads(action);
  const call = calls[action] ?? (mutating ? writing : reading);
  const costs: Cost[] = [{ rateLimit: { key: `${scope}/${action}`, budget: call }, amount: 1 }];
  const budget = machines[action];
  if (budget) costs.push({ rateLimit: { key: `${scope}/${action}/machines`, budget }, amount: machinesIn(input) });
  return { action, mutating, costs };
}

function machinesIn(input: unknown): number {
  if (typeof input !== 'object' || input === null) return 1;
  if ('count' in input) return Number(input.count);
  return 'ids' in input && Array.isArray(input.ids) ? input.ids.length : 1;
}
