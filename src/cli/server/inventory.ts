import type { Claim } from '../../core/inventory/row.ts';
import type { Attributes, Kind } from '../../core/resource.ts';
import type { Piece, Shelf } from '../output/inventory-text.ts';
import type { Client } from './client.ts';
import { pages } from './pages.ts';
import type { ServerTarget } from './targets.ts';
import { touched } from './told.ts';
import { type Want, want } from './want.ts';

interface Asked {
  readonly kind?: Kind;
  readonly claim?: Claim;
}

/** What stands in the scopes of these targets, as a server saw it last. */
export async function shelvesOn(
  client: Client,
  targets: readonly ServerTarget[],
  { kind, claim }: Asked,
): Promise<readonly Shelf[]> {
  const shelves = new Map<string, Shelf>();
  for (const { scope, look } of targets) if (look !== undefined) shelves.set(scope, { scope, ...look, objects: [] });
  const pieces: Found[] = [];
  const estate = targets[0]?.estate;
  const lines = { path: '/v1/inventory', asked: { kind, claim, estate, attributes: true } };
  for await (const { items } of pages(client, lines, page)) pieces.push(...items.flatMap((item) => item ?? []));
  const byScope = Map.groupBy(pieces, ({ scope }) => scope);
  return [...shelves.values()].map((shelf) => ({
    ...shelf,
    objects: (byScope.get(shelf.scope) ?? []).map(({ piece }) => piece),
  }));
}

interface Found {
  readonly scope: string;
  readonly piece: Piece;
}

const line = want.object({
  scope: want.text,
  kind: want.text,
  id: want.maybe(want.text),
  name: want.text,
  address: want.maybe(want.text),
  claim: want.text,
  status: want.text,
  reason: want.text,
  by: want.maybe(touched),
  attributes: want.maybe(want.trusted<Attributes[Kind]>()),
});

/** Undefined: what is wanted and does not stand is no object. */
const standing: Want<Found | undefined> = (value, at) => {
  const { scope, id, status, reason, ...rest } = line(value, at);
  if (id === undefined) return undefined;
  const { attributes = {}, ...told } = rest;
  // why: kinds and claims are shown by their names only
  const piece = { ...told, id, status, why: whyOf(rest.claim, status, reason), attributes } as Piece;
  return { scope, piece };
};

const page = want.object({ items: want.list(standing), next: want.maybe(want.text) });

/** As from here: whose it is, and not how it stands. */
function whyOf(claim: string, status: string, reason: string): string {
  if (claim === 'ours') return 'wanted';
  if (claim === 'orphan') return 'ours, and no document wants it';
  return status === 'Unmanaged' ? reason : 'Nobody claims it.';
}
