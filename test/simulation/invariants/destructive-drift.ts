import type { InstanceAttributes } from '../../../src/core/resource.ts';
import type { LedgerEntry } from '../../../src/ports/ledger.ts';
import type { RunTrace } from '../trace.ts';
import { type Invariant, unique } from './invariant.ts';

/**
 * No machine of a wanted address is ended for a difference that no spec made: of the specs in force since the machine was launched, some
 * asked for another image, place, disk or first boot than the one it is replaced under.
 */
export const destructiveDrift: Invariant = {
  number: 14,
  name: 'no destructive drift',
  broken: ({ ledger, runs }) => {
    // why: another process may find and settle a launch, perhaps in a later generation than its call's
    const sentIn = new Map(
      ledger.entries.flatMap(({ type, body }) =>
        type === 'intent' ? [[body['intent'], generationOf(body)] as const] : [],
      ),
    );
    const launchedIn = new Map(ledger.entries.flatMap((entry) => launchesIn(entry, sentIn)));
    return unique(
      ledger.entries.flatMap((entry): readonly string[] => {
        const { address, generation, id } = endOf(entry);
        if (address === undefined || id === undefined) return [];
        const since = launchedIn.get(id) ?? 0;
        const asked = runs
          .filter((run) => run.generation >= since && run.generation <= generation)
          .map((run) => lastingOf(run, address));
        const now = runs.find((run) => run.generation === generation && lastingOf(run, address) !== undefined);
        if (now === undefined || asked.some((one) => one !== lastingOf(now, address))) return [];
        return [`${id} of ${address} was ended in generation ${generation}, and no spec asked for another`];
      }),
    );
  },
};

/** The machines that a settlement claims, by the generation that they were sent in. */
function launchesIn(
  { type, body }: LedgerEntry,
  sentIn: ReadonlyMap<unknown, number>,
): readonly (readonly [string, number])[] {
  if (type !== 'settlement' || body['kind'] !== 'instance' || body['verb'] === 'update') return [];
  // why: a settlement lists its effects, and a claim names its object
  const effects = (body['effects'] ?? []) as readonly { do: string; subject?: { id: string } }[];
  return effects.flatMap((effect) =>
    effect.do === 'claim' && effect.subject ? [[effect.subject.id, sentIn.get(body['intent']) ?? 0] as const] : [],
  );
}

function generationOf(body: LedgerEntry['body']): number {
  // why: every intent and settlement names its authorization
  return (body['authority'] as { readonly generation: number }).generation;
}

interface End {
  readonly address?: string;
  readonly id?: string;
  readonly generation: number;
}

/** Duplicates, and successors that did not become ready, are ended for that reason. */
const forWhatItIs = new Set(['twin', 'again', 'withdrawn']);

function endOf({ type, body }: LedgerEntry): End {
  const { because } = (body['details'] ?? {}) as { readonly because?: string }; // why: an intent's details say why
  const isEnd = body['verb'] === 'replace' || body['verb'] === 'delete';
  if (type !== 'intent' || body['kind'] !== 'instance' || !isEnd || forWhatItIs.has(because ?? ''))
    return { generation: 0 };
  return { address: String(body['address']), id: String(body['id']), generation: generationOf(body) };
}

/** All that only a new machine gets otherwise, as text; undefined where nobody wants one there. */
function lastingOf({ desired }: RunTrace, address: string): string | undefined {
  const found = desired.find((one) => one.address === address);
  if (found === undefined) return undefined;
  // why: only called with addresses of machines
  const { placement, machine, disk, boot } = found.attributes as InstanceAttributes;
  return JSON.stringify([placement, machine.image, disk, boot]);
}
