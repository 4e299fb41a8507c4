import assert from 'node:assert/strict';
import type { FieldChange } from '../../src/core/diff.ts';
import type { Knowledge, PendingIntent, Settled } from '../../src/core/knowledge.ts';
import type { Mark, Observation, Observed } from '../../src/core/observed.ts';
import type { Attributes, Kind } from '../../src/core/resource.ts';
import { visibilityMs } from '../../src/engine/absence.ts';
import { freshMs } from '../../src/engine/intent.ts';
import { resolvePendingIntents } from '../../src/engine/pending-intents.ts';
import { at } from '../support/actions.ts';

export const now = 10_000_000;
export const window = visibilityMs + freshMs;
const terms = { deletionPolicy: 'delete', protect: false, storeOnly: false } as const;

interface Sent {
  readonly intent: string;
  readonly verb?: PendingIntent['verb'];
  readonly id?: string;
  readonly ageMs?: number;
  readonly batch?: string;
  readonly changes?: readonly FieldChange[];
}

/** An intent that nobody settled. */
export function sent(kind: Kind, name: string, attributes: Attributes[Kind], how: Sent): PendingIntent {
  const { intent, verb = 'create', id, ageMs = 0, batch = intent, changes } = how;
  return {
    intent,
    attempt: 1,
    address: at(kind, name),
    verb,
    at: now - ageMs,
    draft: {
      kind,
      ...(id === undefined ? {} : { id }),
      details: { attributes, terms, batch, ...(changes === undefined ? {} : { changes }) },
    },
  };
}

export const marked = <K extends Kind>(
  seen: Observed<K>,
  name: string,
  intent: string,
  more: Partial<Mark> = {},
): Observed<K> => ({
  ...seen,
  signs: { mark: { estate: 'acme', store: 's1', address: at(seen.kind, name), intent, ...more } },
});
export const settledAt = (kind: Kind, name: string): Settled => ({
  address: at(kind, name),
  kind,
  lastWriteAt: 0,
  terms,
});

export interface Case {
  readonly name: string;
  readonly pending: readonly PendingIntent[];
  /** Creations that were closed as never happened. */
  readonly expiredIntents?: readonly PendingIntent[];
  readonly seen?: readonly Observed[];
  readonly look?: Partial<Observation>;
  readonly settled?: Readonly<Record<string, Settled>>;
  readonly oneByName?: readonly Kind[];
  readonly seenAt?: Readonly<Record<string, number>>;
  /** `i1 ok claim:id apply`, `i1 Code`, `i1 again`, or `i1 unseen`. */
  readonly want: readonly string[];
}

export function judge({
  pending,
  expiredIntents = [],
  seen = [],
  look = {},
  settled = {},
  oneByName = [],
  seenAt = {},
}: Case): readonly string[] {
  const observation: Observation = { scope: 's', at: now, resources: seen, gaps: [], pending: [], calls: 0, ...look };
  const knowledge: Knowledge = {
    estate: 'acme',
    store: 's1',
    settled: new Map(Object.entries(settled)),
    pending,
    expiredIntents: new Map(expiredIntents.map((one) => [one.intent, one])),
    applied: new Map(),
    unstuck: new Map(),
  };
  const { settlements, again, unseen } = resolvePendingIntents(
    observation,
    knowledge,
    oneByName,
    new Map(Object.entries(seenAt)),
  );
  const told = settlements.map(({ intent, outcome, effects, closes }) => {
    assert.ok(closes, 'what is settled here is closed');
    if (!outcome.ok) return `${intent} ${outcome.failure.code}`;
    const done = effects.map((effect) => {
      if (effect.do === 'claim') return `claim:${effect.subject.id}`;
      if (effect.do === 'end') return `${effect.as}:${effect.subject.id}`;
      return effect.do === 'release' ? `release:${effect.id}` : effect.do;
    });
    return [intent, 'ok', ...done].join(' ');
  });
  return [
    ...told,
    ...[...again].map((intent) => `${intent} again`),
    ...[...unseen].map((intent) => `${intent} unseen`),
  ];
}
