import type { IntentDraft, Ledger } from '../../src/ports/ledger.ts';
import type { Store } from '../../src/ports/store.ts';
import type { Gate } from './gate.ts';

/** The same store, with gates around what is written to its ledger. */
export const gatedStore = (store: Store, gate: Gate): Store => ({ ...store, ledger: gatedLedger(store.ledger, gate) });

function gatedLedger(ledger: Ledger, gate: Gate): Ledger {
  const { verb, kind, entry } = gate.catching;
  const isMeant = (draft: IntentDraft): boolean => draft.verb === verb && draft.subject.kind === kind;
  const meant = new Set<string>();
  return {
    ...ledger,
    intend: async (pass, drafts) => {
      if (!drafts.some(isMeant)) return ledger.intend(pass, drafts);
      gate.at('before-intent');
      if (entry === 'intent') gate.at('while-appending');
      const answers = await ledger.intend(pass, drafts);
      for (const answer of answers) if (answer.ok) meant.add(answer.intent);
      gate.at('after-intent');
      return answers;
    },
    settle: async (pass, settlements) => {
      if (!settlements.some(({ intent }) => meant.has(intent))) return ledger.settle(pass, settlements);
      gate.at('before-settlement');
      if (entry === 'settlement') gate.at('while-appending');
      await ledger.settle(pass, settlements);
      gate.at('after-settlement');
    },
  };
}
