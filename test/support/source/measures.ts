import { type Node, SyntaxKind } from 'typescript/unstable/ast';
import {
  isExportAssignment,
  isExportDeclaration,
  isIdentifier,
  isInterfaceDeclaration,
  isNamedExports,
  isTypeAliasDeclaration,
  isTypeLiteralNode,
  isVariableStatement,
} from 'typescript/unstable/ast/is';
import { nodesOf, type ParsedFile, placeOf } from './project.ts';

export interface Interface {
  readonly name: string;
  readonly place: string;
  readonly members: number;
}

/** Interfaces, and type aliases that are one by another spelling, with the members that they write themselves. */
export function interfacesOf(file: ParsedFile): readonly Interface[] {
  const found: Interface[] = [];
  for (const node of nodesOf(file.tree)) {
    const members = membersOf(node);
    if (members === undefined) continue;
    found.push({ name: nameOf(node) ?? '', place: placeOf(file, node), members });
  }
  return found;
}

function membersOf(node: Node): number | undefined {
  if (isInterfaceDeclaration(node)) return node.members.length;
  return isTypeAliasDeclaration(node) && isTypeLiteralNode(node.type) ? node.type.members.length : undefined;
}

/** The names that a file exports, each once however often it is declared (overloads, a type beside its value). */
export function exportsOf({ tree }: ParsedFile): readonly string[] {
  return [...new Set(tree.statements.flatMap(exportedBy))];
}

/** A contract or a set of records: it exports what things look like, and does nothing. */
export function isVocabulary({ tree }: ParsedFile): boolean {
  return tree.statements
    .filter(isExported)
    .every((node) => isInterfaceDeclaration(node) || isTypeAliasDeclaration(node));
}

function exportedBy(statement: Node): readonly string[] {
  if (isExportAssignment(statement)) return ['default'];
  if (isExportDeclaration(statement)) {
    const clause = statement.exportClause;
    return clause !== undefined && isNamedExports(clause) ? clause.elements.map(({ name }) => name.text) : ['*'];
  }
  if (!isExported(statement)) return [];
  if (!isVariableStatement(statement)) return [nameOf(statement) ?? 'default'];
  return statement.declarationList.declarations.map((declaration) => nameOf(declaration) ?? '{…}');
}

function isExported(statement: Node): boolean {
  if (!('modifiers' in statement) || !Array.isArray(statement.modifiers)) return false;
  return statement.modifiers.some((modifier: Node) => modifier.kind === SyntaxKind.ExportKeyword);
}

function nameOf(node: object): string | undefined {
  if (!('name' in node)) return undefined;
  // why: whatever the syntax tree holds under `name` is a node
  const name = node.name as Node | undefined;
  return name !== undefined && isIdentifier(name) ? name.text : undefined;
}
