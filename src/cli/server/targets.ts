import { randomUUID } from 'node:crypto';
import type { Gap } from '../../core/observed.ts';
import type { Kind } from '../../core/resource.ts';
import { Complaint } from '../complaint.ts';
import type { Context } from '../context.ts';
import { progressOn } from '../progress/progress.ts';
import type { Client } from './client.ts';
import type { ServedEstateOption } from './option.ts';
import { query } from './query.ts';
import { type Want, want } from './want.ts';

/** `look`: the newest at its scope; absent: nobody has looked yet. `quarantined`: why no pass looks. */
export interface ServerTarget {
  readonly name: string;
  readonly estate: string;
  readonly scope: string;
  readonly look?: { readonly at: number; readonly gaps: readonly Gap[] };
  readonly quarantined?: string;
}

export async function targetsOn(client: Client, { estate }: ServedEstateOption): Promise<readonly ServerTarget[]> {
  const { items } = await client.ask({ method: 'GET', path: `/v1/targets${query({ estate })}` }, answer);
  return items;
}

const outside = want.object({
  name: want.text,
  estate: want.text,
  scope: want.text,
  observed: want.object({
    at: want.maybe(want.moment),
    gaps: want.list(want.object({ kind: want.text, code: want.text, reason: want.text })),
  }),
  held: want.maybe(want.object({ quarantine: want.maybe(want.object({ why: want.maybe(want.text) })) })),
});

const target: Want<ServerTarget> = (value, at) => {
  const { observed, held, ...told } = outside(value, at);
  const gaps = observed.gaps.map((gap) => ({ ...gap, kind: gap.kind as Kind })); // why: shown by its name only
  return {
    ...told,
    ...(observed.at === undefined ? {} : { look: { at: observed.at, gaps } }),
    ...(held?.quarantine === undefined ? {} : { quarantined: held.quarantine.why ?? unsaid }),
  };
};

const unsaid = 'Its passes failed in our own code; more is told to those who see all targets of it.';

const answer = want.object({ items: want.list(target) });

const pollMs = 1000;
const mostMs = 600_000;

/** Asks for a pass of every scope of these targets, and waits until each was looked at anew: as they are then. */
export async function lookAgainOn(
  client: Client,
  targets: readonly ServerTarget[],
  context: Context,
): Promise<readonly ServerTarget[]> {
  const byScope = new Map(targets.map((one) => [one.scope, one]));
  const estate = targets[0]?.estate;
  for (const one of byScope.values()) await wish(client, one);
  const progress = progressOn(context.terminal.err, context.clock);
  const until = context.clock.now() + mostMs;
  try {
    for (;;) {
      const now = (await targetsOn(client, { estate })).filter(({ scope }) => byScope.has(scope));
      const waiting = now.filter((one) => !isNewer(one, byScope.get(one.scope)));
      if (waiting.length === 0) return now;
      if (context.clock.now() >= until) throw nobodyLooks(waiting);
      for (const { scope } of waiting) progress.show(scope, 'waiting for a pass to look');
      await context.clock.sleep(pollMs, context.stop);
    }
  } finally {
    progress.end();
  }
}

async function wish(client: Client, { name, estate, scope, quarantined }: ServerTarget): Promise<void> {
  if (quarantined !== undefined)
    throw new Complaint(`${scope} is in quarantine: no pass looks at it.`, {
      why: quarantined,
      next: `Where its worker runs: setpoint resume --quarantined ${scope} --reason "…"`,
    });
  const path = `/v1/targets/${encodeURIComponent(name)}/reconcile`;
  const body = { estate, reason: 'inventory --refresh' };
  await client.ask({ method: 'POST', path, body, key: randomUUID() }, want.object({}));
}

/** A look that began after the one that was newest when we asked. */
const isNewer = ({ look }: ServerTarget, before: ServerTarget | undefined): boolean =>
  look !== undefined && (before?.look === undefined || look.at > before.look.at);

const nobodyLooks = (waiting: readonly ServerTarget[]): Complaint =>
  new Complaint(`Nobody has looked at ${waiting.map(({ scope }) => scope).join(', ')} for ten minutes.`, {
    why: 'A pass was asked for, and waits for a worker.',
    next: 'Look whether workers run, and at their log. What was seen before: leave --refresh away.',
  });
