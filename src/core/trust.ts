import { z } from 'zod';
import { type Document, ownName, schemas } from './documents/document.ts';
import { type Guard, guarded } from './documents/fields.ts';
import { treeOf } from './documents/overlay.ts';
import { error, type Problem, sortProblems } from './documents/problem.ts';
import type { Located, Path, Position } from './documents/tree.ts';
import { canonical } from './ledger/canonical.ts';

/**
 * The reasons to refuse a proposal. A proposal must not reach for a secret, a credential or an address
 * unless the active specs reach for it already. Pure. Both are valid and read with the same overlay.
 *
 *   in the proposal                                | must be
 *   -----------------------------------------------+----------------------------------------
 *   a document that stands for nothing on a cloud  | as in force, as a whole; none more, none fewer
 *   a field that names a secret or an address      | as in force, in the same document; none more, none fewer
 *                                                  | (a whole document less is one secret less, and may be)
 *   a name that a team takes over by `was`         | of a document of its own in force
 *
 * Compared is what documents mean, so that their order, their files and how they are written may change.
 */
export function refusalsOf(active: Documents, proposal: Documents): readonly Problem[] {
  const before = byName(active);
  const after = byName(proposal);
  const problems: Problem[] = [];
  for (const document of proposal) problems.push(...changed(document, before.get(nameOf(document))));
  for (const [name, document] of before) if (!after.has(name)) problems.push(...removed(document, proposal));
  return sortProblems([...problems, ...takenNames(active, proposal)]);
}

type Documents = readonly Located<Document>[];

/** Kinds whose documents a proposal may add, change and remove; any other is guarded as a whole, one that is new among them. */
const FREE: ReadonlySet<string> = new Set([
  'Network',
  'Group',
  'FirewallRule',
  'Instance',
] satisfies Document['kind'][]);

const nameOf = ({ value }: Located<Document>): string => `${value.kind} ${ownName(value)}`;

const byName = (documents: Documents): ReadonlyMap<string, Located<Document>> =>
  new Map(documents.map((document) => [nameOf(document), document]));

function changed(now: Located<Document>, before: Located<Document> | undefined): readonly Problem[] {
  if (!FREE.has(now.value.kind)) return before === undefined ? [added(now)] : altered(now, before);
  const was = fieldsOf(before);
  const is = fieldsOf(now);
  return [...new Set([...was.keys(), ...is.keys()])].flatMap((key) => {
    const [old, fresh] = [was.get(key), is.get(key)];
    if (old === undefined && fresh !== undefined) return [refusedField(now, fresh.path, 'add')];
    if (old === undefined || old.text === fresh?.text) return [];
    return [refusedField(now, old.path, fresh === undefined ? 'remove' : 'change')];
  });
}

interface Field {
  readonly path: Path;
  readonly text: string;
}

const fieldsOf = (document: Located<Document> | undefined): ReadonlyMap<string, Field> =>
  new Map(
    (document === undefined ? [] : guardedFields(document.value)).map(({ path, value }) => [
      JSON.stringify(path),
      { path, text: canonical(value) },
    ]),
  );

function added(document: Located<Document>): Problem {
  return refusal(document.at(), `a proposal may not add the ${nameOf(document)}`, ACTIVE_SPECS_RULE);
}

function altered(now: Located<Document>, before: Located<Document>): readonly Problem[] {
  return differences(before.value, now.value).map((path) => refusedField(now, path, 'change'));
}

/** The values are not repeated: people write secrets where references belong. */
function refusedField(document: Located<Document>, path: Path, change: 'add' | 'remove' | 'change'): Problem {
  const message = `a proposal may not ${change} \`${path.map(String).join('.')}\` of the ${nameOf(document)}`;
  return refusal(document.at(path), message, ACTIVE_SPECS_RULE);
}

/** There is no place for it in the proposal any more: its Estate stands for it. */
function removed(document: Located<Document>, proposal: Documents): readonly Problem[] {
  if (FREE.has(document.value.kind)) return [];
  const { file, line } = document.at();
  const estate = proposal.find(({ value }) => value.kind === 'Estate') ?? proposal[0];
  const at = estate?.at() ?? { file: '', line: 1, column: 1 };
  return [
    refusal(at, `a proposal may not remove the ${nameOf(document)}, active at ${file}:${line}`, ACTIVE_SPECS_RULE),
  ];
}

const ACTIVE_SPECS_RULE = 'the active value; Setpoint plans such a change once it is on the followed branch';

const refusal = (at: Position, message: string, expected: string): Problem =>
  error('untrusted', at, message, { expected });

/** A field that a document has, by which it reaches for a secret or an address. */
export interface GuardedField extends Guard {
  readonly path: Path;
  readonly value: unknown;
}

/** As much of a JSON Schema as leads from field to field; `guards` where a field is entered as guarded. */
export interface Guards extends Partial<Guard> {
  readonly properties?: Readonly<Record<string, Guards>>;
  readonly items?: Guards;
  readonly additionalProperties?: Guards | boolean;
  readonly oneOf?: readonly Guards[];
  readonly anyOf?: readonly Guards[];
}

const known = new WeakMap<z.ZodType, Guards>();

export function guardsOf(schema: z.ZodType): Guards {
  const before = known.get(schema);
  if (before) return before;
  // why: zod types every keyword of every dialect; Guards is what our own schemas, all inline, are made of.
  const guards = z.toJSONSchema(schema, { io: 'input', metadata: guarded }) as Guards;
  known.set(schema, guards);
  return guards;
}

/** Only what leads to a guarded field, so that no document is walked where it has none; undefined where nothing does. */
export function leading(here: Guards): Guards | undefined {
  if (here.guards !== undefined) return { guards: here.guards };
  const below = (one: Guards | boolean | undefined): Guards | undefined =>
    typeof one === 'object' ? leading(one) : undefined;
  const each = (all: readonly Guards[] = []): readonly Guards[] => all.flatMap((one) => leading(one) ?? []);
  const [items, additionalProperties] = [below(here.items), below(here.additionalProperties)];
  const [oneOf, anyOf] = [each(here.oneOf), each(here.anyOf)];
  const leads = Object.values(here.properties ?? {}).some((one) => leading(one) !== undefined);
  if (!leads && items === undefined && additionalProperties === undefined && oneOf.length + anyOf.length === 0)
    return undefined;
  return {
    // why: a property without a guard stays named, or it would be taken for an additional one
    properties: Object.fromEntries(
      Object.entries(here.properties ?? {}).map(([key, one]) => [key, leading(one) ?? {}]),
    ),
    oneOf,
    anyOf,
    items,
    additionalProperties,
  };
}

const leads = new Map<Document['kind'], Guards>();

/** All such fields of a document, found by its schema: one that a schema gains is found without a line here. */
export function guardedFields(document: Document): readonly GuardedField[] {
  const { kind } = document;
  const here = leads.get(kind) ?? leading(guardsOf(schemas[kind])) ?? {};
  leads.set(kind, here);
  return fieldsIn(document, here, []);
}

/** A guarded field is reported as a whole: below it there is nothing more to find. */
export function fieldsIn(value: unknown, here: Guards, path: Path): readonly GuardedField[] {
  if (value === undefined) return [];
  if (here.guards !== undefined) return [{ path, value, guards: here.guards }];
  const alternatives = [...(here.oneOf ?? []), ...(here.anyOf ?? [])].flatMap((one) => fieldsIn(value, one, path));
  return firstOfEach([...alternatives, ...fieldsBelow(value, here, path)]);
}

function fieldsBelow(value: unknown, here: Guards, path: Path): readonly GuardedField[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, held]) => {
    const step = Array.isArray(value) ? Number(key) : key;
    const below = Array.isArray(value) ? here.items : (own(key, here.properties) ?? here.additionalProperties);
    return typeof below === 'object' ? fieldsIn(held, below, [...path, step]) : [];
  });
}

const own = (key: string, properties: Guards['properties'] = {}): Guards | undefined =>
  Object.hasOwn(properties, key) ? properties[key] : undefined;

/** Two alternatives may have the same field. */
const firstOfEach = (fields: readonly GuardedField[]): readonly GuardedField[] => [
  ...new Map(fields.map((field) => [JSON.stringify(field.path), field])).values(),
];

/**
 * Former names that a team's tree claims and may not: `was` takes over the object of that name, so it must name a document that
 * is in force in the same tree, or be a former name that this document has in force already. What other trees had is theirs,
 * also where its document is gone. The estate's own tree may take over anything.
 */
export function takenNames(active: Documents, next: Documents): readonly Problem[] {
  if (active.length === 0) return [];
  const own = new Set(
    active.map((document) => claim(treeOf(document.at().file), document, document.value.metadata.name)),
  );
  const since = new Set(active.flatMap((document) => formerNames(document).map((name) => kept(document, name))));
  return next.flatMap((document) => {
    const tree = treeOf(document.at().file);
    if (tree === '') return [];
    return formerNames(document).flatMap((name, index) => {
      if (own.has(claim(tree, document, name)) || since.has(kept(document, name))) return [];
      const message = `\`${name}\` is active in no file of \`${tree}\``;
      const expected = 'a former name of one of its own documents';
      return [error('untrusted', document.at(['metadata', 'was', index]), message, { expected })];
    });
  });
}

const formerNames = ({ value: { metadata } }: Located<Document>): readonly string[] =>
  'was' in metadata ? (metadata.was ?? []) : [];

const claim = (by: string, { value }: Located<Document>, name: string): string => `${by} ${value.kind} ${name}`;

/** In whatever tree: a document that is handed over keeps its former names. */
const kept = (document: Located<Document>, name: string): string => claim(document.value.metadata.name, document, name);

/** The paths where two values differ: the longest that both have a map or list along. Empty: they mean the same. */
function differences(before: unknown, after: unknown, path: Path = []): readonly Path[] {
  if (same(before, after)) return [];
  if (!isMap(before) || !isMap(after)) return [path];
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...keys].flatMap((key) => differences(before[key], after[key], [...path, key]));
}

const same = (a: unknown, b: unknown): boolean =>
  a === undefined || b === undefined ? a === b : canonical(a) === canonical(b);

const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
