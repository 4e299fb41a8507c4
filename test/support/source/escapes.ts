import { type Node, SyntaxKind } from 'typescript/unstable/ast';
import { isAsExpression, isIdentifier, isTypeReferenceNode } from 'typescript/unstable/ast/is';
import { lineOf, nodesOf, type ParsedFile, placeOf } from './project.ts';

const ESCAPES: ReadonlyMap<SyntaxKind, string> = new Map([
  [SyntaxKind.AnyKeyword, 'any'],
  [SyntaxKind.NonNullExpression, '!'],
  [SyntaxKind.AsExpression, 'as'],
  [SyntaxKind.TypeAssertionExpression, '<type>'],
]);

/**
 * Every place where a file takes the compiler's word away (any, `!`, `as` other than `as const`, @ts- directives) and
 * does not say why: `// why: …` at the end of the line, or alone on the line above.
 */
export function unexplainedEscapesOf(file: ParsedFile): readonly string[] {
  const lines = file.tree.text.split('\n');
  const found = directivesIn(file, lines);
  for (const node of nodesOf(file.tree)) {
    const what = ESCAPES.get(node.kind);
    if (what === undefined || isConst(node) || isExplained(file, node, lines)) continue;
    found.push(`${placeOf(file, node)} ${what}`);
  }
  return found;
}

function isConst(node: Node): boolean {
  if (!isAsExpression(node) || !isTypeReferenceNode(node.type)) return false;
  return isIdentifier(node.type.typeName) && node.type.typeName.text === 'const';
}

/** The reason may stand by the escape's first line or its last, as the formatter has it. */
function isExplained({ tree }: ParsedFile, node: Node, lines: readonly string[]): boolean {
  const first = lineOf(tree, node.getStart(tree));
  const last = lineOf(tree, node.getEnd());
  return isReason(lines[first]) || isReason(lines[last]) || isLoneReason(lines[first - 1]);
}

function isReason(line = ''): boolean {
  return /\/\/ why: \S/.test(line);
}

function isLoneReason(line = ''): boolean {
  return /^\s*\/\/ why: \S/.test(line);
}

function directivesIn({ path }: ParsedFile, lines: readonly string[]): string[] {
  return lines.flatMap((line, index) => (/^\s*(\/\/|\/\*)\s*@ts-/.test(line) ? [`${path}:${index + 1} @ts-`] : []));
}
