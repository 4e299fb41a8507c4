import { guardedFields } from '../../trust.ts';
import type { Document, EstateDoc, FirewallRuleDoc, GroupDoc } from '../document.ts';
import { treeOf } from '../overlay.ts';
import { error, type Problem, suggest } from '../problem.ts';
import { estateOf, type GroupUse, groupsIn, type SpecSet, targetsOf } from '../spec-set.ts';
import type { Located, Path } from '../tree.ts';
import { place } from './names.ts';

/**
 * Checks that documents under `@<team>/` have a source that the estate names, a kind that a team may hold, and an owner that
 * the source has.
 */
export function* teamTrees({ documents, declared }: SpecSet): Iterable<Problem> {
  const estate = estateOf(documents);
  const undeclared = new Set<string>();
  for (const document of documents) {
    const tree = treeOf(document.at().file);
    if (tree === '') continue;
    const source = estate?.value.spec.sources?.find(({ name }) => `@${name}/` === tree);
    yield* kinds(document, tree);
    if (source) yield* owners(document, source);
    // why: an Estate that has errors of its own may name it
    else if (!undeclared.has(document.at().file) && (estate || !declared.has('Estate'))) {
      undeclared.add(document.at().file);
      yield unknownSource(document, tree, estate);
    }
  }
}

type Source = NonNullable<EstateDoc['spec']['sources']>[number];

/** Any other kind, one that is new among them, is for the root alone. */
const KINDS: ReadonlySet<string> = new Set([
  'Network',
  'Group',
  'FirewallRule',
  'Instance',
] satisfies Document['kind'][]);

function* kinds(document: Located<Document>, tree: string): Iterable<Problem> {
  const { kind } = document.value;
  if (KINDS.has(kind)) return;
  yield error('not-here', document.at(['kind']), `\`${tree}\` is a tree of a team and cannot hold ${kind}`, {
    expected: `${[...KINDS].join(', ')}; documents of kind ${kind} belong in the root's own tree`,
  });
}

function* owners(document: Located<Document>, { name, owners: allowed }: Source): Iterable<Problem> {
  const { owner } = document.value.metadata;
  if (owner !== undefined && allowed.includes(owner)) return;
  const what = owner === undefined ? 'is missing' : `is ${JSON.stringify(owner)}`;
  yield error('wrong-owner', document.at(['metadata', 'owner']), `\`metadata.owner\` ${what}`, {
    expected: `an owner of the source ${name}: ${allowed.slice(0, MOST).join(', ')}`,
    didYouMean: owner === undefined ? undefined : suggest(owner, allowed),
  });
}

/** Named in a hint; more would bury the rest. */
const MOST = 12;

function unknownSource(document: Located<Document>, tree: string, estate: Located<EstateDoc> | undefined): Problem {
  const names = (estate?.value.spec.sources ?? []).map(({ name }) => name);
  const where = estate ? ` at ${place(estate.at(['spec', 'sources']))}` : '';
  return error('unknown-source', document.at(), `\`${tree}\` belongs to no source of the estate`, {
    expected:
      names.length > 0 ? `one of ${names.slice(0, MOST).join(', ')}${where}` : `a source in spec.sources${where}`,
    didYouMean: suggest(tree.slice(1, -1), names),
  });
}

/**
 * A team may put machines and rules into a network of another tree, where it is a guest: what its rules apply to are its own
 * machines, and so are those in its groups. Else one team could open the machines of another, or put one of its own among them
 * and be let in by their rules. The root, and whose network it is, may name any group: their rules are no claim to it.
 *
 *   in a network of another tree       | a guest may
 *   -----------------------------------+---------------------------------------------------
 *   name a group among a rule's peers  | always: who may reach its own machines is its own affair
 *   put a rule on a group, or a        | where no other tree has a machine in that group, and no other guest a
 *   machine into one                   | rule on it
 *   write a rule without a group, or   | never: it would apply to the machines of all
 *   for addresses or service accounts  |
 *   write the document of a group      | never: its labels, names and terms are of whose network it is
 *   adopt an existing rule             | never: it may be anybody's. Nor may any team adopt one without a network
 */
export function* teamGroups(set: SpecSet): Iterable<Problem> {
  for (const rule of set.rules) yield* everybodys(set, rule);
  for (const group of set.groups.values()) yield* guestGroup(set, group);
  const held = groupsIn(set)
    .filter(holds)
    .map((use) => holdingOf(set, use));
  for (const same of Map.groupBy(held, ({ group }) => group).values()) yield* shared(same);
}

function* everybodys(set: SpecSet, rule: Located<FirewallRuleDoc>): Iterable<Problem> {
  const { metadata, spec } = rule.value;
  const { group, appliesTo, network } = spec;
  const tree = treeOf(rule.at().file);
  const isFree = network === undefined;
  if (tree === '' || !(isFree || isGuest(set, tree, network))) return;
  if (metadata.adopt !== undefined) {
    const place = isFree ? 'a rule of no network' : `a rule of ${network}, which belongs to another tree`;
    const message = `\`${tree}\` cannot adopt ${place}`;
    yield error('not-its-own', rule.at(['metadata', 'adopt']), message, { expected: 'this rule in the root' });
    return;
  }
  const { groups, ...others } = appliesTo ?? { groups: [] };
  const isForOthers = Object.values(others).some((one) => one === true || (Array.isArray(one) && one.length > 0));
  if ((group !== undefined || groups.length > 0) && !isForOthers) return;
  const message = `without \`group\` this rule is for every machine in ${network}, and that network does not belong to \`${tree}\``;
  const expected = `group: one with only machines of \`${tree}\`; or this rule in the tree of ${network}`;
  yield error('not-its-own', rule.at(), message, { expected });
}

function* guestGroup(set: SpecSet, { value: { metadata, spec }, at }: Located<GroupDoc>): Iterable<Problem> {
  const tree = treeOf(at().file);
  if (!isGuest(set, tree, spec.network)) return;
  const message = `${spec.network} does not belong to \`${tree}\`, so the group ${metadata.name} cannot have its document here`;
  const expected = `this document in the tree of ${spec.network}; a rule or an instance may name the group without one`;
  yield error('not-its-own', at(['spec', 'network']), message, { expected });
}

/** True where a tree may use this network by leave of another one. */
function isGuest(set: SpecSet, tree: string, network: string): boolean {
  const host = set.networks.get(network);
  return tree !== '' && host !== undefined && treeOf(host.at().file) !== tree;
}

interface Holding {
  readonly use: GroupUse;
  readonly tree: string;
  readonly group: string;
  readonly guest: boolean;
}

/** A document that only lets a group in puts nothing into it. */
const holds = ({ fills, path }: GroupUse): boolean => fills || path[1] === 'group' || path[1] === 'appliesTo';

function holdingOf(set: SpecSet, use: GroupUse): Holding {
  const tree = treeOf(use.document.at().file);
  // Azure takes names in any case for one.
  const group = `${use.network} ${use.name}`.toLowerCase();
  return { use, tree, group, guest: isGuest(set, tree, use.network) };
}

function* shared(same: readonly Holding[]): Iterable<Problem> {
  const claims = same.filter(({ use, guest }) => use.fills || guest);
  for (const { use, tree, guest } of same) {
    const other = guest ? claims.find((claim) => claim.tree !== tree) : undefined;
    if (!other) continue;
    const owner = other.tree === '' ? 'the root' : `\`${other.tree}\``;
    const message = `the group ${use.name} of ${use.network} is of ${owner}: see ${place(other.use.document.at(other.use.path))}`;
    const expected = `a group with only machines of \`${tree}\`; other groups are allowed as peers`;
    yield error('not-its-own', use.document.at(use.path), message, { expected });
  }
}

/**
 * Fields that only a document in the root's tree may hold: a secret is read with the worker's rights and would be shown on the
 * team's machine; an adopted object may be anybody's.
 */
export function* teamFields(set: SpecSet): Iterable<Problem> {
  for (const document of set.documents) {
    if (treeOf(document.at().file) === '') continue;
    for (const { path, guards } of guardedFields(document.value)) {
      const what = guards === 'secret' ? 'no secret' : 'no address to call';
      yield notHere(document, path, `a tree of a team names ${what}`);
    }
    for (const path of [...adoptions(document.value), ...tagsIn(set, document.value)]) {
      yield notHere(document, path, 'a tree of a team adopts nothing: the object may belong to somebody else');
    }
  }
}

const notHere = ({ at }: Located<Document>, path: Path, message: string): Problem =>
  error('not-here', at(path), message, { expected: "this document in the root's own tree, or without this field" });

/** A network tag may be of machines that people own, as an adopted object may. */
const tagsIn = (set: SpecSet, { kind, spec }: Document): readonly Path[] =>
  kind === 'Group'
    ? targetsOf(set, Object.keys(spec.names ?? {}))
        .filter(({ value }) => value.spec.provider === 'gcp')
        .map(({ value }) => ['spec', 'names', value.metadata.name])
    : [];

function adoptions({ kind, metadata, spec }: Document): readonly Path[] {
  if (kind === 'Estate' || kind === 'Target' || kind === 'Policy' || kind === 'Prices') return [];
  const listed =
    kind === 'Network'
      ? ([
          ['subnets', spec.subnets],
          ['groups', spec.groups],
        ] as const)
      : [];
  return [
    ...(metadata.adopt === undefined ? [] : [['metadata', 'adopt']]),
    ...listed.flatMap(([list, entries]) =>
      entries.flatMap(({ adopt }, index) => (adopt === undefined ? [] : [['spec', list, index, 'adopt']])),
    ),
  ];
}
