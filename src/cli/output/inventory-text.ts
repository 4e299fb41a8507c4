import { nameIn } from '../../core/address.ts';
import { claims, type Ownership } from '../../core/inventory/ownership.ts';
import { type Ago, touchedText } from '../../core/render/touched-text.ts';
import type { Kind } from '../../core/resource.ts';
import type { Shelf } from '../commands/inventory.ts';
import type { Output } from '../terminal.ts';
import { agoFrom } from './ago.ts';
import { count } from './count.ts';
import { formatDuration } from './duration.ts';
import { paintFor } from './paint.ts';
import { table } from './table.ts';

/** The verdict, then each scope with its age, its gaps and a table. Ids come last: some clouds' are longer than a screen. */
export function inventoryText(shelves: readonly Shelf[], now: number, output: Output): string {
  const paint = paintFor(output);
  const ago = agoFrom(now);
  const all = shelves.flatMap(({ objects }) => objects);
  const verdict = `Inventory: ${count(all.length, 'object')} in ${count(shelves.length, 'scope')}${tally(all)}`;
  const parts = shelves.map(({ scope, at, gaps, objects }) => {
    const whole =
      gaps.length === 0 ? 'complete' : `incomplete: ${gaps.map(({ kind, code }) => `${kind} (${code})`).join(', ')}`;
    const head = `${paint('strong', scope)}  seen ${formatDuration(now - at)} ago · ${whole}`;
    return `\n${head}\n${indent(
      table(
        ['KIND', 'NAME', 'CLAIM', 'WHY', 'ID'],
        objects.toSorted(byKind).map((one) => row(one, ago)),
      ),
    )}`;
  });
  return `${paint('strong', verdict)}\n${parts.join('')}`;
}

/** What stands alone first; the many rules last. */
const byKind = (a: Ownership, b: Ownership): number =>
  kindOrder.indexOf(a.observed.kind) - kindOrder.indexOf(b.observed.kind);
const kindOrder: readonly Kind[] = ['network', 'subnet', 'instance', 'group', 'firewall-rule'];

function tally(all: readonly Ownership[]): string {
  const counts = claims.map((claim) => ({ claim, n: all.filter((one) => one.claim === claim).length }));
  return counts.map(({ claim, n }) => (n > 0 ? ` · ${n} ${claim}` : '')).join('');
}

const row = ({ observed, claim, address, why, by }: Ownership, ago: Ago): readonly string[] => [
  observed.kind,
  address === undefined ? observed.name : nameIn(address, observed.kind),
  claim,
  claim === 'ours' ? '' : why,
  by === undefined ? observed.id : `${observed.id}  ${touchedText(by, ago)}`,
];

const indent = (text: string): string => text.replaceAll(/^(?=.)/gm, '  ');

/** The same as one object; ages in milliseconds. */
export const inventoryJson = (shelves: readonly Shelf[], now: number): object => ({
  scopes: shelves.map(({ scope, at, gaps, objects }) => ({
    scope,
    seenAt: new Date(at).toISOString(),
    ageMs: now - at,
    complete: gaps.length === 0,
    gaps,
    objects: objects.map(({ observed, claim, address, why, by }) => ({
      kind: observed.kind,
      id: observed.id,
      name: observed.name,
      claim,
      ...(address === undefined ? {} : { address }),
      why,
      ...(by === undefined ? {} : { by }),
      attributes: observed.attributes,
    })),
  })),
});
