import type { Hostile } from './answering.ts';
import type { Answers } from './hostile-answers.ts';

const MiB = 1024 * 1024;
const times = (count: number, make: (i: number) => string, between = ','): string =>
  Array.from({ length: count }, (_, i) => make(i)).join(between);
const upTo = (size: number, text: string): string => text.repeat(Math.floor(size / text.length));

/** A cloud whose listings are JSON. */
interface Style {
  /** Some less than its provider reads of one answer. */
  readonly parts: number;
  /** A page with these items, and beside them. */
  readonly page: (items: string, beside?: string) => string;
  /** An item with further members. */
  readonly item: (i: number, members?: string) => string;
  /** The member that is a map of texts, and that which is a list of objects. */
  readonly map: string;
  readonly list: (items: string) => string;
  readonly listing: RegExp;
}

function answersOf({ parts, page, item, map, list, listing }: Style): Answers {
  const bodies: Readonly<Record<string, () => string | Buffer>> = {
    'very many keys': () => page('', `"x":{${times(780_000, (i) => `"k${i}":1`)}}`),
    'as many keys as it may have': () => page('', `"x":{${times(parts / 2, (i) => `"k${i}":1`)}}`),
    'keys of a page': () =>
      page(
        '',
        times(parts / 2, (i) => `"k${i}":1`),
      ),
    'keys of an item': () =>
      page(
        item(
          1,
          times(parts / 2, (i) => `"k${i}":1`),
        ),
      ),
    'a map of many keys': () => page(item(1, `"${map}":{${times(parts / 2, (i) => `"k${i}":"v"`)}}`)),
    'keys of many items': () =>
      page(
        times(1_000, (i) =>
          item(
            i,
            times(200, (n) => `"k${i}x${n}":1`),
          ),
        ),
      ),
    'objects of one key each': () => page('', `"x":[${times(parts / 3, (i) => `{"k${i}":1}`)}]`),
    'equal keys': () =>
      page(
        '',
        times(parts / 2, () => '"k":1'),
      ),
    'names of a prototype': () =>
      page(
        item(
          1,
          times(parts / 3, () => '"__proto__":{}'),
        ),
      ),
    'lists in one another': () => page('', `"x":${'['.repeat(MiB)}${']'.repeat(MiB)}`),
    'lists as deep as they may be': () =>
      page('', `"x":[${times(parts / 60, () => `${'['.repeat(58)}${']'.repeat(58)}`)}]`),
    'objects in one another': () => page('', `"x":${upTo(4 * MiB, '{"a":')}1${'}'.repeat(4 * MiB)}`),
    'open brackets': () => '['.repeat(16 * MiB),
    'open braces': () => upTo(16 * MiB, '{"a":'),
    'empty lists': () => page('', `"x":[${times(parts / 2, () => '[]')}]`),
    'empty objects': () => page('', `"x":[${times(parts / 2, () => '{}')}]`),
    'empty items': () => page(times(parts / 2, () => '{}')),
    'very many empty items': () => page(times(4_000_000, () => '{}')),
    'empty things in an item': () => page(item(1, list(times(parts / 2, () => '{}')))),
    'as many items as it may have': () => page(times(9_000, (i) => item(i))),
    'numbers of many digits': () => page('', `"x":[${times(parts, () => '1e308')}]`),
    texts: () => page('', `"x":[${times(parts, (i) => `"text ${i}"`)}]`),
    'a text of 16 MB': () => page(item(1, `"description":"${'a'.repeat(16 * MiB)}"`)),
    'a text as long as it may be': () => page(item(1, `"description":"${'a'.repeat(4 * MiB - 2)}"`)),
    'long texts': () => page(times(10, (i) => item(i, `"description":"${'a'.repeat(3 * MiB)}"`))),
    'long texts of line ends': () => page(times(10, (i) => item(i, `"description":"${'\\n'.repeat(1.5 * MiB)}"`))),
    'long texts of code points': () => page(times(8, (i) => item(i, `"description":"${'\\u00e9'.repeat(MiB / 2)}"`))),
    'long texts beyond ASCII': () => page(times(8, (i) => item(i, `"description":"${'é'.repeat(1.5 * MiB)}"`))),
    'a text that never ends': () => `${page('').slice(0, -1)},"x":"${'a'.repeat(24 * MiB)}`,
    'a long key': () => page('', `"${'k'.repeat(16 * MiB)}":[1]`),
    'keys of a kilobyte around long lists': () =>
      page('', `"x":${times(50, (i) => `{"${`${i}`.repeat(500)}":`, '')}[${times(parts, () => '1')}]${'}'.repeat(50)}`),
    'a long number': () => page('', `"x":${'9'.repeat(16 * MiB)}`),
    'blanks alone': () => ' '.repeat(24 * MiB),
    'blanks between': () => page(times(6_000, (i) => item(i), `,${' '.repeat(4_000)}`)),
    commas: () => `[${','.repeat(24 * MiB)}]`,
    'marks of another bracket': () => page(times(100_000, () => '{]')),
    'no JSON': () => 'a'.repeat(24 * MiB),
    'no UTF-8': () => Buffer.alloc(24 * MiB, 0xff),
    'a page for people': () => `<html>${'<p>"Service Unavailable"<br/></p>'.repeat(400_000)}</html>`,
    'more bytes than it may have': () => page(times(10, (i) => item(i, `"description":"${'a'.repeat(4_000_000)}"`))),
  };
  const refusals = {
    'a refusal of 16 MB': `{"error":{"code":404,"message":"${'a'.repeat(16 * MiB)}"}}`,
    'a refusal of many keys': `{"error":{${times(20_000, (i) => `"k${i}":1`)}}}`,
  };
  return {
    ...Object.fromEntries(Object.entries(bodies).map(([name, make]) => [name, () => ({ listing, body: make() })])),
    ...Object.fromEntries(
      Object.entries(refusals).map(([name, body]) => [name, (): Hostile => ({ listing, status: 404, body })]),
    ),
  };
}

const project = 'https://www.googleapis.com/compute/v1/projects/acme-prod';

/** Of Google. */
export const hostileGoogle: Answers = answersOf({
  parts: 450_000,
  listing: /\/compute\/v1\/.*\/aggregated\/instances\b/,
  page: (items, beside = '') =>
    `{"kind":"compute#instanceAggregatedList","items":{"zones/europe-west1-b":{"instances":[${items}]}}${comma(beside)}}`,
  item: (i, members = '') =>
    `{"id":"${i}","name":"i-${i}","selfLink":"${project}/zones/europe-west1-b/instances/i-${i}"${comma(members)}}`,
  map: 'labels',
  list: (items) => `"disks":[${items}]`,
});

const subscription = '/subscriptions/0b1f6471-1bf0-4dda-aec3-cb9272f09590/resourceGroups/rg-app/providers';

/** Of Azure. */
export const hostileAzure: Answers = answersOf({
  parts: 1_900_000,
  listing: /\/providers\/[^/]+\/networkSecurityGroups\?/i,
  page: (items, beside = '') => `{"value":[${items}]${comma(beside)}}`,
  item: (i, members = '') =>
    `{"id":"${subscription}/Microsoft.Network/networkSecurityGroups/n-${i}","name":"n-${i}","location":"westeurope"${comma(members)}}`,
  map: 'tags',
  list: (items) => `"properties":{"securityRules":[${items}]}`,
});

function comma(members: string): string {
  return members === '' ? '' : `,${members}`;
}
