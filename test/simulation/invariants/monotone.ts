import type { LedgerEntry } from '../../../src/ports/ledger.ts';
import type { Invariant } from './invariant.ts';

/**
 * As the ledger tells it: where a generation was applied or removed something, no lower one is intended or applied later. A machine
 * that was never ready is not applied: its note says what is applied there again.
 */
export const monotone: Invariant = {
  number: 5,
  name: 'monotone',
  broken: ({ ledger }) => {
    const told: Told = { intended: new Map(), applied: new Map() };
    return ledger.entries.flatMap((entry) => follow(entry, told));
  },
};

/** Generations: of each intent's newest attempt, and the highest applied at each address of a scope. */
interface Told {
  readonly intended: Map<string, number>;
  readonly applied: Map<string, number>;
}

function follow({ seq, type, body }: LedgerEntry, { intended, applied }: Told): readonly string[] {
  const intent = String(body['intent']);
  if (type === 'intent') {
    const generation = Number(Reflect.get(Object(body['authority']), 'generation'));
    intended.set(intent, generation);
    const place = `${body['scope']} ${body['address']}`;
    const higher = applied.get(place) ?? 0;
    if (higher <= generation) return [];
    return [`entry ${seq} intends generation ${generation} at ${place}, after ${higher} was applied`];
  }
  if (type === 'note') {
    takeBack(body, applied);
    return [];
  }
  const generation = intended.get(intent) ?? 0;
  return placesIn(body).flatMap((place) => {
    const higher = applied.get(place) ?? 0;
    applied.set(place, Math.max(higher, generation));
    return higher <= generation ? [] : [`entry ${seq} applies generation ${generation} at ${place}, after ${higher}`];
  });
}

function takeBack({ note }: LedgerEntry['body'], applied: Map<string, number>): void {
  const birth: unknown = Reflect.get(Object(note), 'failedBirth');
  const { scope, address, back }: Record<string, unknown> = Object(birth);
  if (typeof back === 'number') applied.set(`${scope} ${address}`, back);
}

/** The addresses that a settlement reports as applied, or no longer applied. */
function placesIn({ scope, effects }: LedgerEntry['body']): readonly string[] {
  if (!Array.isArray(effects)) return [];
  return effects.flatMap((effect: unknown) => {
    const [what, address] = ['do', 'address'].map((name) => Reflect.get(Object(effect), name));
    return what === 'apply' || what === 'unapply' ? [`${scope} ${address}`] : [];
  });
}
