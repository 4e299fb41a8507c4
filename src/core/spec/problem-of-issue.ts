import type { z } from 'zod';
import { fieldsIn } from './fields-at.ts';
import type { Path, Position } from './position.ts';
import { error, type Problem } from './problem.ts';
import { suggest } from './suggest.ts';
import { type Tree, treeAt } from './tree.ts';

type Issue = z.core.$ZodIssue;

/**
 * What the schema found, as a person needs it: where, what stands there, what was expected. The text of an issue is
 * what was expected (see `text-field`).
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
    didYouMean: suggest(key, fields),
  });
}

function badKey(issue: z.core.$ZodIssueInvalidKey, tree: Tree): Problem {
  const key = String(issue.path.at(-1));
  return error('bad-key', keyPosition(tree, issue.path), `\`${clip(key)}\` cannot stand here`, {
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
  return error('bad-value', found.at, complaint(issue.path, found), { expected, didYouMean: remedy(issue, found) });
}

function complaint(path: Path, found: Tree): string {
  const field = `\`${dotted(path)}\``;
  if (found.kind !== 'scalar') return `${field} cannot be this ${found.kind}`;
  if (found.value === null) return `${field} has no value: give one, or leave the field out`;
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

/** Where the key stands that leads to the value at the path; of a list item, where the item does. */
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
