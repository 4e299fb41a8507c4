import { claims } from '../../core/inventory/ownership.ts';
import type { Claim, Status } from '../../core/inventory/row.ts';
import type { Gap } from '../../core/observed.ts';
import { type Ago, touchedText } from '../../core/render/wording.ts';
import { type Address, type Attributes, type Kind, nameIn } from '../../core/resource.ts';
import { compareText, printable } from '../../core/text.ts';
import type { TouchedBy } from '../../core/touch.ts';
import type { Output } from '../terminal.ts';
import { agoFrom } from './ago.ts';
import { count } from './count.ts';
import { formatDuration } from './duration.ts';
import { inOrder } from './in-order.ts';
import { paintFor } from './paint.ts';
import { table } from './table.ts';

/** What was seen of one scope, when, and how much of it. */
export interface Shelf {
  readonly scope: string;
  readonly at: number;
  readonly gaps: readonly Gap[];
  readonly objects: readonly Piece[];
}

/** An object on a cloud, as the inventory tells of it. `address`: where it is ours. `by`: who changed it since we wrote it last. */
export type Piece = Named & Owned;

interface Named {
  readonly kind: Kind;
  readonly id: string;
  readonly name: string;
  readonly address?: Address;
}

interface Owned {
  readonly status: Status;
  readonly claim: Claim;
  readonly why: string;
  readonly by?: TouchedBy;
  readonly attributes: Attributes[Kind];
}

/** The verdict, then each scope with its age, its gaps and a table. Ids come last: some clouds' are longer than a screen. */
export function inventoryText(shelves: readonly Shelf[], now: number, output: Output): string {
  const paint = paintFor(output);
  const ago = agoFrom(now);
  const all = shelves.flatMap(({ objects }) => objects);
  const verdict = `Inventory: ${count(all.length, 'object')} in ${count(shelves.length, 'scope')}${tally(all)}`;
  const parts = shelves.map(({ scope, at, gaps, objects }) => {
    const missing = printable(gaps).map(({ kind, code }) => `${kind} (${code})`);
    const whole = missing.length === 0 ? 'complete' : `incomplete: ${missing.join(', ')}`;
    const head = `${paint('strong', printable(scope))}  seen ${formatDuration(now - at)} ago · ${whole}`;
    const rows = objects.toSorted(byPlace).map((one) => row(one, ago));
    const { width = Infinity } = output;
    return `\n${head}\n${indent(table(['KIND', 'NAME', 'STATUS', 'CLAIM', 'WHY', 'ID'], rows, width - 2))}`;
  });
  return `${paint('strong', verdict)}\n${parts.join('')}`;
}

/** What stands alone first; the many rules last. A store keeps what was seen in an order of its own. */
const byPlace = (a: Piece, b: Piece): number =>
  kindOrder.indexOf(a.kind) - kindOrder.indexOf(b.kind) || compareText(shown(a), shown(b)) || compareText(a.id, b.id);

const kindOrder: readonly Kind[] = ['network', 'subnet', 'instance', 'group', 'firewall-rule'];

function tally(all: readonly Piece[]): string {
  const counts = claims.map((claim) => ({ claim, n: all.filter((one) => one.claim === claim).length }));
  return counts.map(({ claim, n }) => (n > 0 ? ` · ${n} ${claim}` : '')).join('');
}

const row = (piece: Piece, ago: Ago): readonly string[] => [
  piece.kind,
  shown(piece),
  piece.status,
  piece.claim,
  piece.claim === 'ours' ? '' : piece.why,
  piece.by === undefined ? piece.id : `${piece.id}  ${touchedText(piece.by, ago)}`,
];

const shown = ({ kind, name, address }: Piece): string => (address === undefined ? name : nameIn(address, kind));

const indent = (text: string): string => text.replaceAll(/^(?=.)/gm, '  ');

/** The same as one object; ages in milliseconds. */
export const inventoryJson = (shelves: readonly Shelf[], now: number): object => ({
  scopes: shelves.map(({ scope, at, gaps, objects }) => ({
    scope,
    seenAt: new Date(at).toISOString(),
    ageMs: now - at,
    complete: gaps.length === 0,
    gaps: inOrder(gaps),
    objects: inOrder(objects.toSorted(byPlace)),
  })),
});
