import type { CloudId } from '../../src/core/resource.ts';

/**
 * `web-0` → `web-0-k7x2q`: the name of the machine that takes this predecessor's place. It never reads as a replica's, whose name ends
 * in digits alone, and is never the predecessor's own. `longest`: characters that the cloud takes in a name. `hash`: at least 20 hex digits.
 */
export function successorName(
  name: string,
  predecessor: CloudId,
  longest: number,
  hash: (text: string) => string,
): string {
  const stem = name.slice(0, longest - suffixLength - 1).replace(/-+$/, '');
  const path = predecessor.replace(/#.*$/, '').toLowerCase();
  for (let round = 0; ; round++) {
    const made = `${stem}-${suffixOf(hash(`${predecessor} ${round}`))}`;
    if (!path.endsWith(`/${made.toLowerCase()}`)) return made;
  }
}

const suffixLength = 5;

/** No vowels, so that no word comes of it. */
const letters = 'bcdfghjklmnpqrstvwxz';
const characters = `${letters}2456789`;

const suffixOf = (digits: string): string =>
  Array.from({ length: suffixLength }, (_, at) => {
    const among = at === 0 ? letters : characters;
    return among[Number.parseInt(digits.slice(at * 4, at * 4 + 4), 16) % among.length];
  }).join('');
