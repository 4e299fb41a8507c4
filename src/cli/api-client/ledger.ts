import type { Verdict } from '../../core/ledger/verification.ts';
import type { HeldSource } from '../../core/render/plan-json.ts';
import type { LedgerEntry } from '../../ports/ledger.ts';
import { type ApiClient, pages, queryString } from './client.ts';
import { type Decoder, decode } from './decode.ts';
import type { ServerEstateOption } from './server-option.ts';

/** `entries`: the newest, newest last. `total`: of all that are asked for; absent: who asks may not see all. */
export interface LedgerPage {
  readonly estate: string;
  readonly total?: number;
  readonly entries: readonly LedgerEntry[];
  readonly sources: readonly HeldSource[];
}

const outside = decode.object({
  seq: decode.number,
  at: decode.timestamp,
  type: decode.string,
  body: decode.unchecked<LedgerEntry['body']>(),
  chain: decode.object({
    of: decode.optional(decode.string),
    number: decode.optional(decode.number),
    previous: decode.string,
    hash: decode.string,
  }),
});

// why: an entry of a sort that we do not know is shown with it
const entry: Decoder<LedgerEntry> = (value, at) => outside(value, at) as LedgerEntry;

const page = decode.object({
  estate: decode.string,
  items: decode.list(entry),
  next: decode.optional(decode.string),
  total: decode.optional(decode.number),
});

interface Asked extends ServerEstateOption {
  readonly address: string | undefined;
  readonly limit: number;
}

/** The newest entries that one may see, newest last. */
export async function fetchLedger(client: ApiClient, { estate, address, limit }: Asked): Promise<LedgerPage> {
  const asked = { estate, address, order: 'newest', total: true };
  const newest: LedgerEntry[] = [];
  let [estateName, total]: [string, number | undefined] = ['', undefined];
  for await (const got of pages(client, { path: '/v1/ledger', asked, most: limit }, page)) {
    newest.push(...got.items);
    estateName = got.estate;
    total ??= got.total;
  }
  return {
    estate: estateName,
    total,
    entries: newest.slice(0, limit).reverse(),
    sources: [],
  };
}

/** All of a ledger is read for its verdict. */
const verifyMs = 600_000;

export const fetchVerdict = (client: ApiClient, { estate }: ServerEstateOption): Promise<Verdict> =>
  client.request({ method: 'GET', path: `/v1/ledger/verify${queryString({ estate })}`, atMostMs: verifyMs }, verdict);

export const exportLedger = (client: ApiClient, { estate }: ServerEstateOption): AsyncIterable<string> =>
  client.lines(`/v1/ledger/export${queryString({ estate })}`);

const whole = decode.object({
  entries: decode.number,
  checkpoints: decode.number,
  head: decode.object({ seq: decode.number, hash: decode.string }),
  signedAt: decode.optional(decode.timestamp),
  chains: decode.list(decode.object({ chain: decode.string, entries: decode.number, signed: decode.number })),
  unsigned: decode.optional(decode.object({ entries: decode.number, seq: decode.number, at: decode.timestamp })),
});
const problem = decode.object({
  problem: decode.oneOf('tampered', 'unverified'),
  seq: decode.optional(decode.number),
  reason: decode.string,
});
const either = decode.object({ ok: decode.boolean });

const verdict: Decoder<Verdict> = (value, at) => {
  const { ok } = either(value, at);
  if (ok) return { ok, ...whole(value, at) };
  return { ok, ...problem(value, at) };
};
