import type { SignedCheckpoint } from '../core/ledger/checkpoint.ts';
import type { Linked } from '../core/ledger/entry.ts';
import { type Verdict, type Verification, verification } from '../core/ledger/verification.ts';
import { sha256 } from './sha256.ts';
import { signedBy } from './signing-key.ts';

type Line = Linked & { readonly store: string; readonly estate: string };

/** Checks an export (see `Audit.export`) with no database. `publicKey`: PEM, from `.setpoint/keys/checkpoint.pub`. */
export async function verifyExport(
  lines: Iterable<string> | AsyncIterable<string>,
  checkpoints: readonly SignedCheckpoint[],
  publicKey: string | undefined,
): Promise<Verdict> {
  let first: Line | undefined;
  let check: Verification | undefined;
  let count = 0;
  for await (const text of lines) {
    if (text.trim() === '') continue;
    const line = entryIn(text);
    count += 1;
    if (line === undefined) return { ok: false, seq: count, reason: `line ${count} of the export is not an entry` };
    first ??= line;
    if (line.store !== first.store || line.estate !== first.estate)
      return { ok: false, seq: line.seq, reason: `line ${count} is of another ledger` };
    const { store, estate } = first;
    check ??= verification({ store, estate, checkpoints }, { hash: sha256, isSigned: signedBy(publicKey) });
    if (!check.follow(line)) break;
  }
  return check?.end() ?? { ok: false, seq: 1, reason: 'the export is empty' };
}

function entryIn(text: string): Line | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isLine(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The rest is what the hash is for. */
const isLine = (value: unknown): value is Line =>
  typeof value === 'object' &&
  value !== null &&
  'seq' in value &&
  Number.isSafeInteger(value.seq) &&
  'store' in value &&
  'estate' in value &&
  'body' in value &&
  'chain' in value &&
  typeof value.chain === 'object' &&
  value.chain !== null;
