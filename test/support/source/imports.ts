import { posix } from 'node:path';
import type { Node } from 'typescript/unstable/ast';
import { SyntaxKind } from 'typescript/unstable/ast';
import {
  isCallExpression,
  isExportDeclaration,
  isIdentifier,
  isImportDeclaration,
  isImportTypeNode,
  isLiteralTypeNode,
  isNoSubstitutionTemplateLiteral,
  isStringLiteral,
} from 'typescript/unstable/ast/is';
import { nodesOf, type ParsedFile, placeOf } from './project.ts';

/** One mention of another module: import, export from, import(), require(), or import type. */
export interface Import {
  readonly place: string;
  /** As written; `<computed>` where it is no literal. */
  readonly specifier: string;
  /** The file that a relative specifier names, relative to the project: `src/core/plan.ts`. */
  readonly file: string | undefined;
}

export function importsOf(file: ParsedFile): readonly Import[] {
  const found: Import[] = [];
  for (const node of nodesOf(file.tree)) {
    const named = moduleNamedBy(node);
    if (named === undefined) continue;
    const specifier = literalOf(named) ?? '<computed>';
    found.push({ place: placeOf(file, node), specifier, file: relativeTo(file.path, specifier) });
  }
  return found;
}

function moduleNamedBy(node: Node): Node | undefined {
  if (isImportDeclaration(node) || isExportDeclaration(node)) return node.moduleSpecifier;
  if (isImportTypeNode(node)) return node.argument;
  if (isCallExpression(node) && isLoading(node.expression)) return node.arguments[0];
  return undefined;
}

function isLoading(callee: Node): boolean {
  return callee.kind === SyntaxKind.ImportKeyword || (isIdentifier(callee) && callee.text === 'require');
}

function literalOf(node: Node): string | undefined {
  if (isLiteralTypeNode(node)) return literalOf(node.literal);
  return isStringLiteral(node) || isNoSubstitutionTemplateLiteral(node) ? node.text : undefined;
}

function relativeTo(path: string, specifier: string): string | undefined {
  return specifier.startsWith('.') ? posix.join(posix.dirname(path), specifier) : undefined;
}
