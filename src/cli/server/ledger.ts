import type { Verdict } from '../../core/ledger/verification.ts';
import type { LedgerEntry } from '../../ports/ledger.ts';
import type { Listed } from '../output/ledger-text.ts';
import type { Client } from './client.ts';
import type { ServedEstateOption } from './option.ts';
import { pages } from './pages.ts';
import { query } from './query.ts';
import { type Want, want } from './want.ts';

const outside = want.object({
  seq: want.number,
  at: want.moment,
  type: want.text,
  body: want.trusted<LedgerEntry['body']>(),
  chain: want.object({
    of: want.maybe(want.text),
    number: want.maybe(want.number),
    previous: want.text,
    hash: want.text,
  }),
});

// why: an entry of a sort that we do not know is shown with it
const entry: Want<LedgerEntry> = (value, at) => outside(value, at) as LedgerEntry;

const page = want.object({
  estate: want.text,
  items: want.list(entry),
  next: want.maybe(want.text),
  total: want.maybe(want.number),
});

interface Asked extends ServedEstateOption {
  readonly address: string | undefined;
  readonly limit: number;
}

/** The newest entries that one may see, newest last. */
export async function entriesOn(client: Client, { estate, address, limit }: Asked): Promise<Listed> {
  const asked = { estate, address, order: 'newest', total: true };
  const newest: LedgerEntry[] = [];
  let [whose, total]: [string, number | undefined] = ['', undefined];
  for await (const got of pages(client, { path: '/v1/ledger', asked, most: limit }, page)) {
    newest.push(...got.items);
    whose = got.estate;
    total ??= got.total;
  }
  return {
    estate: whose,
    ...(total === undefined ? {} : { total }),
    entries: newest.slice(0, limit).reverse(),
    sources: [],
  };
}

/** All of a ledger is read for its verdict. */
const verifyMs = 600_000;

export const verdictOn = (client: Client, { estate }: ServedEstateOption): Promise<Verdict> =>
  client.ask({ method: 'GET', path: `/v1/ledger/verify${query({ estate })}`, atMostMs: verifyMs }, verdict);

export const exportOn = (client: Client, { estate }: ServedEstateOption): AsyncIterable<string> =>
  client.lines(`/v1/ledger/export${query({ estate })}`);

const whole = want.object({
  entries: want.number,
  checkpoints: want.number,
  head: want.object({ seq: want.number, hash: want.text }),
  signedAt: want.maybe(want.moment),
  chains: want.list(want.object({ chain: want.text, entries: want.number, signed: want.number })),
  unsigned: want.maybe(want.object({ entries: want.number, seq: want.number, at: want.moment })),
});
const problem = want.object({
  problem: want.one('broken', 'unproven'),
  seq: want.maybe(want.number),
  reason: want.text,
});
const either = want.object({ ok: want.truth });

const verdict: Want<Verdict> = (value, at) => {
  const { ok } = either(value, at);
  if (ok) return { ok, ...whole(value, at) };
  return { ok, ...problem(value, at) };
};
