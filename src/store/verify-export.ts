import { type AnyCheckpoint, type EstateCheckpoint, isEstateCheckpoint } from '../core/ledger/checkpoint.ts';
import type { Linked } from '../core/ledger/entry.ts';
import { type Verdict, type Verification, verification } from '../core/ledger/verification.ts';
import { sha256 } from './sha256.ts';
import { fingerprintOf, signedBy } from './signing-key.ts';

interface Whose {
  readonly store: string;
  readonly estate: string;
}

/** `seal`: no entry, but the end of the chain that the estate had in the first version. */
type Line = Whose & (Linked | { readonly seal: EstateCheckpoint });

/** Checks an export (see `Audit.export`) with no database. `publicKey`: PEM, from `.setpoint/keys/checkpoint.pub`. */
export async function verifyExport(
  lines: Iterable<string> | AsyncIterable<string>,
  checkpoints: readonly AnyCheckpoint[],
  publicKey: string | undefined,
): Promise<Verdict> {
  const proof = { hash: sha256, key: fingerprintOf(publicKey), isSigned: signedBy(publicKey) };
  let first: Line | undefined;
  let check: Verification | undefined;
  let count = 0;
  for await (const text of lines) {
    if (text.trim() === '') continue;
    const line = lineIn(text);
    count += 1;
    if (line === undefined) return { ok: false, seq: count, reason: `line ${count} of the export is not an entry` };
    first ??= line;
    if (line.store !== first.store || line.estate !== first.estate)
      return {
        ok: false,
        seq: 'seal' in line ? line.seal.seq : line.seq,
        reason: `line ${count} is of another ledger`,
      };
    const { store, estate } = first;
    check ??= verification({ store, estate, checkpoints }, proof);
    if (!check.follow(line)) break;
  }
  return check?.end() ?? { ok: false, seq: 1, reason: 'the export is empty' };
}

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
