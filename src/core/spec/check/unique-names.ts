import type { Document } from '../document.ts';
import type { Located } from '../located.ts';
import type { Path, Position } from '../position.ts';
import { error, type Problem, warning } from '../problem.ts';
import { ofKind, type SpecSet } from '../spec-set.ts';
import { place } from './place.ts';

/**
 * No two documents of a kind by one name, no two subnets of a network, no list that names one thing twice. Names that
 * differ in case only count as one: Azure takes them for one, and so do people.
 */
export function* uniqueNames({ documents }: SpecSet): Iterable<Problem> {
  for (const named of Map.groupBy(documents, ({ value }) => value.kind).values()) {
    yield* twins(named.map(nameOf));
  }
  for (const network of ofKind(documents, 'Network')) {
    for (const [what, list] of [
      ['subnet', 'subnets'],
      ['group', 'groups'],
    ] as const)
      yield* twins(
        network.value.spec[list].map(({ name }, index) => ({
          what: `${what} of ${network.value.metadata.name}`,
          name,
          at: network.at(['spec', list, index, 'name']),
        })),
      );
  }
  for (const document of documents) {
    for (const { path, names } of listsOf(document.value)) yield* repeated(document, path, names);
  }
}

interface Named {
  readonly what: string;
  readonly name: string;
  readonly at: Position;
}

const nameOf = ({ value, at }: Located<Document>): Named => ({
  what: value.kind,
  name: value.metadata.name,
  at: at(['metadata', 'name']),
});

function* twins(all: readonly Named[]): Iterable<Problem> {
  for (const [first, ...others] of Map.groupBy(all, ({ name }) => name.toLowerCase()).values()) {
    for (const other of others) {
      const how = other.name === first?.name ? '' : ', which differs in case only';
      const message = `a second ${other.what} named \`${other.name}\`: the first is at ${first ? place(first.at) : ''}${how}`;
      yield error('duplicate-name', other.at, message, { expected: 'a name of its own' });
    }
  }
}

interface List {
  readonly path: Path;
  readonly names: readonly string[] | undefined;
}

function listsOf({ kind, spec }: Document): readonly List[] {
  switch (kind) {
    case 'Estate':
    case 'Target':
      return [];
    case 'Network':
      return [{ path: ['spec', 'targets'], names: spec.targets }];
    case 'FirewallRule':
      return [
        { path: ['spec', 'targets'], names: spec.targets },
        { path: ['spec', 'peers', 'cidrs'], names: spec.peers.cidrs },
        { path: ['spec', 'peers', 'groups'], names: spec.peers.groups },
        { path: ['spec', 'peers', 'prefixLists'], names: spec.peers.prefixLists },
        { path: ['spec', 'peers', 'serviceTags'], names: spec.peers.serviceTags.map((tag) => tag.toLowerCase()) },
      ];
    case 'Instance':
      return [
        { path: ['spec', 'targets'], names: spec.targets },
        { path: ['spec', 'groups'], names: spec.groups },
      ];
  }
}

/** Once more in a list changes nothing, so it is only a warning; CIDRs are canonical here, whatever their spelling. */
function* repeated({ at }: Located<Document>, path: Path, names: readonly string[] = []): Iterable<Problem> {
  const seen = new Set<string>();
  for (const [index, name] of names.entries()) {
    if (seen.has(name)) yield warning('repeated', at([...path, index]), `\`${name}\` stands in this list already`);
    seen.add(name);
  }
}
