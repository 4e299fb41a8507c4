import type { Knowledge } from '../core/knowledge.ts';
import type { Observation } from '../core/observed.ts';
import type { EnginePorts, Site, Steering } from './job.ts';

/** How long a cloud's listings may miss what was written: https://docs.aws.amazon.com/ec2/latest/devguide/eventual-consistency.html */
export const visibilityMs = 300_000;

/** One look at a scope. Never throws but for an abort: what could not be seen is a gap. */
export async function observe(
  _site: Site,
  _knowledge: Knowledge,
  _ports: Pick<EnginePorts, 'limiter' | 'clock' | 'random'>,
  _steering: Steering,
): Promise<Observation> {
  throw new Error('not yet');
}
