import { z } from 'zod';
import { type Document, schemas } from './document.ts';
import { error, type Problem, suggest } from './problem.ts';
import { type Located, locate, type Path, type Position, plainValue, type Tree, treeAt } from './tree.ts';

/** The document a tree is, or everything that keeps it from being one. Never both, never neither. */
type Reading =
  | { readonly document: Located<Document>; readonly problems?: never }
  | { readonly document?: never; readonly problems: readonly Problem[] };

export function readDocument(tree: Tree): Reading {
  const kind = kindOf(tree);
  if (kind === undefined) return { problems: [noKind(tree)] };
  const result = schemas[kind].safeParse(plainValue(withoutSchemaLink(tree)));
  if (result.success) return { document: locate(result.data, tree) };
  return { problems: distinct(result.error.issues.flatMap((issue) => problemsOfIssue(issue, schemas[kind], tree))) };
}

/** A value may fail its form and what is made of it; a person needs to read that once. */
const distinct = (problems: readonly Problem[]): readonly Problem[] => [
  ...new Map(problems.map((problem) => [JSON.stringify([problem.at, problem.message]), problem])).values(),
];

/** The document's kind, if it names one of ours. */
export function kindOf(tree: Tree): DocumentKind | undefined {
  const given = treeAt(tree, ['kind']);
  const value = given?.kind === 'scalar' ? given.value : undefined;
  return kinds.find((kind) => kind === value);
}

// why: Object.keys forgets that a frozen table has no other keys.
const kinds = Object.keys(schemas) as readonly DocumentKind[];

/** Editors find the schema of a JSON document by `$schema`; it means nothing to us. */
function withoutSchemaLink(tree: Tree): Tree {
  if (tree.kind !== 'map' || !tree.entries.has('$schema')) return tree;
  return { ...tree, entries: new Map([...tree.entries].filter(([key]) => key !== '$schema')) };
}

function noKind(tree: Tree): Problem {
  const expected = kinds.join(', ');
  if (tree.kind !== 'map') {
    return error('not-a-document', tree.at, 'this is not a document', {
      expected: 'a map with apiVersion, kind, metadata and spec',
    });
  }
  const given = treeAt(tree, ['kind']);
  if (!given) return error('missing-field', tree.at, '`kind` is missing', { expected });
  const value = given.kind === 'scalar' ? String(given.value) : given.kind;
  return error('unknown-kind', given.at, `\`kind\` is ${JSON.stringify(value.slice(0, 80))}`, {
    expected,
    didYouMean: suggest(value, kinds),
  });
}

type Issue = z.core.$ZodIssue;

/**
 * The schema's issue, for people: place, found value and expected value. The text of an issue is the expected value (see
 * `text-field`).
 */
export function problemsOfIssue(issue: Issue, schema: z.ZodType, tree: Tree): readonly Problem[] {
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => unknownField(key, issue.path, schema, tree));
  if (issue.code === 'invalid_key') return [badKey(issue, tree)];
  const found = treeAt(tree, issue.path);
  return [found ? badValue(issue, found) : missing(issue, tree)];
}

function unknownField(key: string, path: Path, schema: z.ZodType, tree: Tree): Problem {
  const fields = fieldsIn(schema, path, tree);
  const where = path.length > 0 ? ` in \`${dotted(path)}\`` : '';
  const message = isSecret(path) ? `unknown field${where}` : `unknown field \`${clip(key)}\`${where}`;
  return error('unknown-field', keyPosition(tree, [...path, key]), message, {
    expected: fields.join(', '),
    didYouMean: likely([inOtherSettings(key, path, schema), suggest(key, fields)]),
  });
}

const likely = (candidates: readonly (string | undefined)[]): string | undefined =>
  candidates.filter((one) => one !== undefined).join(', or ') || undefined;

/** A setting that belongs to the subnets of a network and not to the network itself, or the other way round. */
function inOtherSettings(key: string, path: Path, schema: z.ZodType): string | undefined {
  if (path.at(-1) !== 'settings') return undefined;
  const [other, place] =
    path[1] === 'subnets'
      ? [['spec', 'settings'], 'the settings of the network, under spec']
      : [['spec', 'subnets', 0, 'settings'], 'the settings of an entry of `subnets`'];
  return fieldsIn(schema, other).includes(key) ? `${key} in ${place}` : undefined;
}

function badKey(issue: z.core.$ZodIssueInvalidKey, tree: Tree): Problem {
  const key = String(issue.path.at(-1));
  return error('bad-key', keyPosition(tree, issue.path), `\`${clip(key)}\` is not allowed here`, {
    expected: issue.issues[0]?.message,
  });
}

function missing(issue: Issue, tree: Tree): Problem {
  let depth = issue.path.length;
  while (depth > 0 && !treeAt(tree, issue.path.slice(0, depth - 1))) depth -= 1;
  const field = issue.path.slice(0, depth);
  const at = field.length > 1 ? keyPosition(tree, field.slice(0, -1)) : tree.at;
  return error('missing-field', at, `\`${dotted(field)}\` is missing`, { expected: expectation(issue) });
}

function badValue(issue: Issue, found: Tree): Problem {
  const expected = expectation(issue);
  if (isSecret(issue.path))
    return error('bad-secret-reference', found.at, `\`${dotted(issue.path)}\` is refused`, { expected });
  return error('bad-value', found.at, complaint(issue, found), { expected, didYouMean: remedy(issue, found) });
}

function complaint(issue: Issue, found: Tree): string {
  const field = `\`${dotted(issue.path)}\``;
  const own: unknown = issue.code === 'custom' ? issue.params?.['complaint'] : undefined;
  if (typeof own === 'string') return `${field} ${own}`;
  if (found.kind !== 'scalar') return `${field} cannot be this ${found.kind}`;
  if (found.value === null) return `${field} has no value: add one, or omit the field`;
  if (String(found.value).includes('-----BEGIN')) return `${field} holds a key or certificate`;
  if (CREDENTIAL.test(String(found.value))) return `${field} has a user or password before its @`;
  return `${field} is ${clip(JSON.stringify(found.value))}`;
}

/** Of ssh alone a bare user is none. */
const CREDENTIAL = /https?:\/\/[^/\s]*@|:\/\/[^/\s]*:[^/\s]*@/i;

function expectation(issue: Issue): string {
  return issue.code === 'invalid_value' ? issue.values.map(String).join(', ') : issue.message;
}

const WORDS_FOR: Readonly<Record<string, string>> = { yes: 'true', on: 'true', no: 'false', off: 'false' };

function remedy(issue: Issue, found: Tree): string | undefined {
  if (found.kind !== 'scalar' || found.value === null) return undefined;
  const { value } = found;
  if (issue.code === 'invalid_value') return suggest(String(value), issue.values.map(String));
  if (issue.code !== 'invalid_type') return undefined;
  if (issue.expected === 'string') return `${JSON.stringify(String(value))}, in quotes`;
  if (issue.expected === 'array') return `[${clip(JSON.stringify(value))}], as a list`;
  if (issue.expected === 'boolean') return WORDS_FOR[String(value).toLowerCase()];
  return undefined;
}

/** Below these people write secrets by mistake, as values and even as keys: no message repeats what stands there. */
const isSecret = (path: Path): boolean => SECRETS.some((field) => path.includes(field));

const SECRETS = ['password', 'credentials', 'secret'];

/** The position of the key that leads to the value at the path; of a list item, that of the item. */
function keyPosition(tree: Tree, path: Path): Position {
  const holder = treeAt(tree, path.slice(0, -1));
  const key = String(path.at(-1));
  const entry = holder?.kind === 'map' ? holder.entries.get(key) : undefined;
  return entry?.keyAt ?? treeAt(tree, path)?.at ?? holder?.at ?? tree.at;
}

/** `spec.subnets[0].cidr`. */
function dotted(path: Path): string {
  return clip(
    path
      .map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`))
      .join('')
      .replace(/^\./, ''),
  );
}

const LONGEST = 80;

const clip = (text: string): string => (text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);

export type DocumentKind = keyof typeof schemas;

/**
 * The fields that a document of this kind may have at the path, in the order of its schema. Where there are alternatives
 * (`from: pubsub` has other fields than `from: github`) those of the one that `given` is, or of all that it may be.
 */
export const fieldsAt = (kind: DocumentKind, path: Path, given?: Tree): readonly string[] =>
  fieldsIn(schemas[kind], path, given);

/** The same of any schema of ours. */
function fieldsIn(schema: z.ZodType, path: Path, given?: Tree): readonly string[] {
  let here: readonly Shape[] = [shapeOf(schema)];
  for (const step of path) {
    here = here.flatMap(alternatives).flatMap(({ properties, items, additionalProperties }) => {
      return properties?.[String(step)] ?? items ?? additionalProperties ?? [];
    });
  }
  const all = here.flatMap(alternatives);
  const meant = all.filter((shape) => mayBe(shape, given && treeAt(given, path)));
  return [...new Set((meant.length > 0 ? meant : all).flatMap(({ properties }) => Object.keys(properties ?? {})))];
}

const alternatives = (shape: Shape): readonly Shape[] => shape.oneOf ?? [shape];

/** No field has a value that the alternative has no place for. */
function mayBe({ properties }: Shape, given: Tree | undefined): boolean {
  return Object.entries(properties ?? {}).every(([field, { const: only, enum: some }]) => {
    const found = given && treeAt(given, [field]);
    const words = some ?? (only === undefined ? undefined : [only]);
    return found?.kind !== 'scalar' || (words?.includes(found.value) ?? true);
  });
}

/** As much of a JSON Schema as leads from field to field. */
interface Shape {
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly items?: Shape;
  readonly additionalProperties?: Shape;
  readonly oneOf?: readonly Shape[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
}

const shapes = new WeakMap<z.ZodType, Shape>();

function shapeOf(schema: z.ZodType): Shape {
  const known = shapes.get(schema);
  if (known) return known;
  // why: zod types every keyword of every dialect; Shape is what our own schemas, all inline, are made of.
  const shape = z.toJSONSchema(schema, { io: 'input' }) as Shape;
  shapes.set(schema, shape);
  return shape;
}
