import type { ChangeEntry } from '../../../providers/memory/cloud/history.ts';
import { markOf } from '../../../providers/memory/marks.ts';
import type { LedgerEntry } from '../../../src/ports/ledger.ts';
import { type Invariant, unique } from './invariant.ts';

/**
 * Every change that we made has an earlier committed intent that was not settled yet. Only what leaves late may have been
 * given up meanwhile.
 */
export const writeAhead: Invariant = {
  number: 3,
  name: 'write-ahead',
  broken: ({ cloud, ledger, runs }) => {
    const open = spansOf(ledger.entries);
    const late = new Set(runs.flatMap((run) => (run.late === true ? [run.name] : [])));
    const isLate = ({ caller, before }: ChangeEntry): boolean => late.has(caller) && before === undefined;
    const ours = cloud.history.changes.filter(({ caller }) => caller !== 'outside');
    const calls = Map.groupBy(ours, ({ seq }) => seq);
    return unique(
      [...calls.values()]
        // why: one call changes more than it is about: a network is born with a group
        .filter(
          (changes) =>
            !changes.some((change) =>
              open.some((span) => covers(isLate(change) ? { ...span, until: Infinity } : span, change)),
            ),
        )
        .map((changes) =>
          changes.map(({ id, caller, at }) => `${caller} changed ${id} at ${at} without an intent`).join(),
        ),
    );
  },
};

/** From the first attempt to the settlement that closed it. */
interface Span {
  readonly kind: string;
  readonly address: string;
  readonly id: string;
  readonly from: number;
  until: number;
}

function spansOf(entries: readonly LedgerEntry[]): readonly Span[] {
  const spans = new Map<string, Span>();
  for (const { type, at, body } of entries) {
    const intent = String(body['intent']);
    const known = spans.get(intent);
    if (type === 'intent' && !known) {
      const [kind, address, id] = [body['kind'], body['address'], body['id'] ?? ''].map(String);
      spans.set(intent, { kind: kind ?? '', address: address ?? '', id: id ?? '', from: at, until: Infinity });
    }
    if (type === 'settlement' && known && body['closes'] === true) known.until = at;
  }
  return [...spans.values()];
}

function covers({ kind, address, id, from, until }: Span, { at, id: changed, before, after }: ChangeEntry): boolean {
  if (at < from || at > until) return false;
  const record = after ?? before;
  if (record && 'match' in record) return kind === 'firewall-rule' || (kind === 'group' && record.group !== '');
  if (id === changed) return true;
  if (/^(rt|gw)-/.test(changed)) return kind === 'network' || kind === 'subnet';
  const marked = record && markOf(record.tags, 0)?.address;
  return marked !== undefined && (address === marked || address.startsWith(`${documentOf(marked)}-`));
}

const documentOf = (address: string): string => address.replace(/-\d+$/, '');
