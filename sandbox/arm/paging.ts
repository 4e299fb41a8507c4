import type { Seen } from '../table.ts';
import { refused } from './errors.ts';
import type { Asked, Reply } from './method.ts';

/**
 * Items a page. Only the first figure is recorded by anybody (50: https://github.com/Azure/azure-sdk-for-node/issues/4769,
 * https://github.com/apache/libcloud/issues/1824); none is documented, and clients cannot set them. The rest are
 * assumptions.
 */
export const PAGE_SIZES = {
  machines: 50,
  disks: 50,
  networks: 250,
  subnets: 250,
  securityGroups: 250,
  securityRules: 250,
  applicationGroups: 250,
  interfaces: 250,
  addresses: 250,
  routeTables: 250,
  routes: 250,
  natGateways: 250,
  virtualNetworkPeerings: 250,
  resourceGroups: 250,
} as const;

/** Shaped as `Seen`: a running number, and what it numbers. Renders only what the page holds. */
export interface Listing<T> {
  readonly kind: keyof typeof PAGE_SIZES;
  readonly items: Iterable<Seen<T>>;
  readonly render: (record: T) => unknown;
  readonly among?: (record: T) => boolean;
}

/** One page: `{value, nextLink}`. */
export function page<T>(asked: Asked, { kind, items, render, among = () => true }: Listing<T>): Reply {
  const { answerFaults, request, subscription } = asked;
  const after = readToken(request.query['$skiptoken']);
  const limit = Math.min(PAGE_SIZES[kind], answerFaults.items ?? Number.POSITIVE_INFINITY);
  const value: unknown[] = [];
  let taken = 0;
  let last = after;
  for (const { seq, record } of items) {
    if (seq <= after || !among(record)) continue;
    if (taken >= limit) return { status: 200, body: { value, nextLink: nextLink(asked, last) } };
    last = seq;
    taken++;
    if (answerFaults.share === undefined || subscription.random() >= answerFaults.share) value.push(render(record));
  }
  return { status: 200, body: { value } };
}

function nextLink({ request }: Asked, seq: number): string {
  const { $skiptoken: _, ...others } = request.query;
  const token = Buffer.from(`page/${seq}`).toString('base64url');
  return `${request.origin}${request.path}?${new URLSearchParams(others).toString()}&$skiptoken=${token}`;
}

function readToken(token: string | undefined): number {
  if (token === undefined) return 0;
  const seq = /^page\/(\d+)$/.exec(Buffer.from(token, 'base64url').toString('latin1'))?.[1];
  if (seq === undefined) throw refused('InvalidSkipToken', `The skip token '${token}' is invalid.`);
  return Number(seq);
}

/** For what lies inside one record: numbered from 1 in its order. */
export function* numbered<T>(records: readonly T[]): Generator<Seen<T>> {
  let seq = 0;
  for (const record of records) yield { seq: ++seq, record };
}
