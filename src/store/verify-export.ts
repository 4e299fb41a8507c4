import { type AnyCheckpoint, type EstateCheckpoint, isEstateCheckpoint } from '../core/ledger/chain.ts';
import type { Linked } from '../core/ledger/entry.ts';
import { type Verdict, type Verification, verification } from '../core/ledger/verification.ts';
import { defaultUnsignedLimitMs, type VerifyOptions } from '../ports/store.ts';
import { sha256, type TrustedKeys } from './signing.ts';

interface OfEstate {
  readonly store: string;
  readonly estate: string;
}

/** `seal`: no entry, but the end of the chain that the estate had in the first version. */
type Line = OfEstate & (Linked | { readonly seal: EstateCheckpoint });

/** `checkpoints`: from the folder of a store. `now`: entries may be unsigned for `unsignedLimitMs` before that. */
export interface ExportProof extends VerifyOptions {
  readonly checkpoints: readonly AnyCheckpoint[];
  readonly keys: TrustedKeys;
  readonly now: number;
}

/** Checks an export (see `Audit.export`) with no database. An export that no checkpoint covers proves nothing. */
export async function verifyExport(
  lines: Iterable<string> | AsyncIterable<string>,
  { checkpoints, keys, now, witness, unsignedLimitMs: limitMs = defaultUnsignedLimitMs }: ExportProof,
): Promise<Verdict> {
  const proof = { hash: sha256, ...keys };
  const compared = { checkpoints, unsignedLimit: { now, limitMs }, ...(witness && { witness }) };
  let first: Line | undefined;
  let check: Verification | undefined;
  let count = 0;
  for await (const text of lines) {
    if (text.trim() === '') continue;
    const line = lineIn(text);
    count += 1;
    if (line === undefined) return broken(count, `line ${count} of the export is not an entry`);
    first ??= line;
    if (line.store !== first.store || line.estate !== first.estate)
      return broken('seal' in line ? line.seal.seq : line.seq, `line ${count} is of another ledger`);
    const { store, estate } = first;
    check ??= verification({ store, estate, ...compared }, proof);
    if (!check.follow(line)) break;
  }
  return check ? covered(check.end()) : broken(1, 'the export is empty');
}

function covered(verdict: Verdict): Verdict {
  if (!verdict.ok || verdict.entries === 0 || verdict.checkpoints > 0) return verdict;
  const reason = 'no signed checkpoint covers this export: name the folder of the signer with --dir, or a witness';
  return { ok: false, problem: 'unverified', seq: 1, reason };
}

const broken = (seq: number, reason: string): Verdict => ({ ok: false, problem: 'tampered', seq, reason });

function lineIn(text: string): Line | undefined {
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
  'store' in value &&
  'estate' in value &&
  (('seal' in value && isEstateCheckpoint(value.seal)) || isEntry(value));

const isEntry = (value: object): boolean =>
  'seq' in value &&
  Number.isSafeInteger(value.seq) &&
  'body' in value &&
  'chain' in value &&
  typeof value.chain === 'object' &&
  value.chain !== null;
