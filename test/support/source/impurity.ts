import { type Node, SyntaxKind } from 'typescript/unstable/ast';
import {
  isCallExpression,
  isIdentifier,
  isNewExpression,
  isPropertyAccessExpression,
} from 'typescript/unstable/ast/is';
import { nodesOf, type ParsedFile, placeOf } from './project.ts';

/** Names through which a program learns of time, chance or the world, or waits. */
const WORLDLY = new Set(
  [
    ['Promise', 'process', 'performance', 'crypto', 'console', 'fetch', 'globalThis', 'WebSocket'],
    ['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask', 'AbortController', 'AbortSignal'],
    ['Buffer', 'require', 'eval', 'Function', 'Intl', 'SharedArrayBuffer', 'Atomics'],
  ].flat(),
);

/** Methods that answer by the machine's language, not by their arguments. */
const LOCAL = new Set([
  'localeCompare',
  'toLocaleString',
  'toLocaleDateString',
  'toLocaleUpperCase',
  'toLocaleLowerCase',
]);

/** Every place where a file is not pure, with the impure expression. */
export function impuritiesOf(file: ParsedFile): readonly string[] {
  const found: string[] = [];
  for (const node of nodesOf(file.tree)) {
    const what = impurity(node);
    if (what !== undefined) found.push(`${placeOf(file, node)} ${what}`);
  }
  return found;
}

function impurity(node: Node): string | undefined {
  if (node.kind === SyntaxKind.AsyncKeyword) return 'async';
  if (node.kind === SyntaxKind.AwaitExpression || node.kind === SyntaxKind.AwaitKeyword) return 'await';
  if (isIdentifier(node) && WORLDLY.has(node.text) && !isOwnName(node) && !isZones(node.parent)) return node.text;
  if (isPropertyAccessExpression(node)) return impureMember(node.expression, node.name.text);
  return readsClock(node) ? 'the clock, through Date' : undefined;
}

function impureMember(object: Node, member: string): string | undefined {
  if (LOCAL.has(member)) return member;
  const owner = isIdentifier(object) ? object.text : '';
  return ['Math.random', 'Date.now', 'Temporal.Now'].find((name) => name === `${owner}.${member}`);
}

/** The names of time zones are those of the library that reckons with them. */
const isZones = (node: Node): boolean => isPropertyAccessExpression(node) && node.name.text === 'supportedValuesOf';

/** `new Date()` and `Date()`; with an argument they only convert it. */
function readsClock(node: Node): boolean {
  if (isNewExpression(node)) return isDate(node.expression) && (node.arguments?.length ?? 0) === 0;
  return isCallExpression(node) && isDate(node.expression);
}

function isDate(node: Node): boolean {
  return isIdentifier(node) && node.text === 'Date';
}

/** True of a name that says what something of ours is called (a property, a member), not whom it asks. */
function isOwnName(node: Node): boolean {
  const parent = node.parent;
  if (isPropertyAccessExpression(parent)) return parent.name === node;
  const named = [
    SyntaxKind.PropertyAssignment,
    SyntaxKind.PropertySignature,
    SyntaxKind.PropertyDeclaration,
    SyntaxKind.MethodSignature,
    SyntaxKind.MethodDeclaration,
  ];
  return named.includes(parent.kind) && 'name' in parent && parent.name === node;
}
