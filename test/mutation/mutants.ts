import { createHash } from 'node:crypto';
import { type BinaryExpression, type CallExpression, type Node, SyntaxKind } from 'typescript/unstable/ast';
import {
  isArrayLiteralExpression,
  isArrowFunction,
  isBinaryExpression,
  isBlock,
  isCallExpression,
  isConditionalExpression,
  isExpressionStatement,
  isIdentifier,
  isIfStatement,
  isImportDeclaration,
  isNoSubstitutionTemplateLiteral,
  isNumericLiteral,
  isPrefixUnaryExpression,
  isPropertyAccessExpression,
  isPropertyAssignment,
  isReturnStatement,
  isStringLiteral,
  isTemplateExpression,
  isTypeNode,
} from 'typescript/unstable/ast/is';
import { lineOf, type ParsedFile } from '../support/source/project.ts';

/** One small change of a source. Positions are offsets in the text of the file. */
export interface Mutant extends Edit {
  /** The first digits of a hash over `file`, `line`, `mutation` and `occurrence`: it survives edits elsewhere in the file. */
  readonly id: string;
  readonly file: string;
  /** Counted from 1, in the text as it is now. */
  readonly lineNumber: number;
  /** The whole line, trimmed. */
  readonly line: string;
  /** Such as `boundary: >= → >`. */
  readonly mutation: string;
  /** Its number, from 0, among the same mutations on lines of the same text in this file. */
  readonly occurrence: number;
  /** The place where the changed text begins to run: of `a?.b` at `a`, though nothing after it may run. */
  readonly runsFrom: number;
}

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly after: string;
}

interface Draft extends Edit {
  readonly mutator: string;
}

/** Reads a node, and answers with the changes that it may suffer. */
type Mutator = (node: Node, text: (node: Node) => string) => readonly Draft[];

/** All changes of a file, in the order of its text. Types, imports and names of properties suffer none. */
export function mutantsOf(file: ParsedFile): readonly Mutant[] {
  const { tree, path } = file;
  const textOf = (node: Node): string => tree.text.slice(node.getStart(tree), node.end);
  const lines = tree.text.split('\n');
  const seen = new Map<string, number>();
  const drafts = [...expressionsOf(tree)].flatMap((node) =>
    MUTATORS.flatMap((mutate) => mutate(node, textOf)).map((draft) => ({
      ...draft,
      start: startOf(draft, file),
      runsFrom: node.getStart(tree),
    })),
  );
  return drafts
    .toSorted((a, b) => a.start - b.start || a.end - b.end || (a.after < b.after ? -1 : 1))
    .map(({ mutator, start, end, after, runsFrom }) => {
      const lineNumber = lineOf(tree, start) + 1;
      const line = (lines[lineNumber - 1] ?? '').trim();
      const mutation = `${mutator}: ${brief(tree.text.slice(start, end))} → ${brief(after)}`;
      const key = `${path}\n${line}\n${mutation}`;
      const occurrence = seen.get(key) ?? 0;
      seen.set(key, occurrence + 1);
      return {
        id: hash(`${key}\n${occurrence}`),
        file: path,
        lineNumber,
        line,
        mutation,
        occurrence,
        runsFrom,
        start,
        end,
        after,
      };
    });
}

export const mutated = (text: string, { start, end, after }: Edit): string =>
  text.slice(0, start) + after + text.slice(end);

export const hash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16);

/** A node's own position includes the blanks and comments before it. */
const startOf = ({ start, end }: Edit, { tree }: ParsedFile): number =>
  start + (/^(?:\s|\/\/[^\n]*\n|\/\*[\s\S]*?\*\/)*/.exec(tree.text.slice(start, end))?.[0].length ?? 0);

const brief = (text: string): string => {
  const flat = text.replace(/\s+/g, ' ').trim();
  if (flat === '') return 'nothing';
  return flat.length > 60 ? `${flat.slice(0, 59)}…` : flat;
};

/** Every node that runs, parents first. */
function* expressionsOf(root: Node): Generator<Node> {
  const children: Node[] = [];
  root.forEachChild((child) => void children.push(child));
  for (const child of children) {
    if (isTypeNode(child) || isImportDeclaration(child) || TYPES_ONLY.has(child.kind)) continue;
    yield child;
    yield* expressionsOf(child);
  }
}

const TYPES_ONLY: ReadonlySet<SyntaxKind> = new Set([
  SyntaxKind.InterfaceDeclaration,
  SyntaxKind.TypeAliasDeclaration,
  SyntaxKind.TypeParameter,
  SyntaxKind.ExportDeclaration,
]);

const replace = (mutator: string, node: Node, after: string): Draft => ({
  mutator,
  start: node.pos,
  end: node.end,
  after,
});

const operatorOf = ({ operatorToken }: BinaryExpression): Node => operatorToken;

/** The replacements of each operator, each with its mutator. */
const OPERATORS: ReadonlyMap<SyntaxKind, readonly (readonly [mutator: string, after: string])[]> = new Map([
  [SyntaxKind.LessThanToken, [['boundary', '<='] as const, ['negation', '>='] as const]],
  [SyntaxKind.LessThanEqualsToken, [['boundary', '<'] as const, ['negation', '>'] as const]],
  [SyntaxKind.GreaterThanToken, [['boundary', '>='] as const, ['negation', '<='] as const]],
  [SyntaxKind.GreaterThanEqualsToken, [['boundary', '>'] as const, ['negation', '<'] as const]],
  [SyntaxKind.EqualsEqualsEqualsToken, [['negation', '!=='] as const]],
  [SyntaxKind.ExclamationEqualsEqualsToken, [['negation', '==='] as const]],
  [SyntaxKind.AmpersandAmpersandToken, [['logic', '||'] as const]],
  [SyntaxKind.BarBarToken, [['logic', '&&'] as const]],
  [SyntaxKind.MinusToken, [['arithmetic', '+'] as const]],
  [SyntaxKind.PlusToken, [['arithmetic', '-'] as const]],
  [SyntaxKind.AsteriskToken, [['arithmetic', '/'] as const]],
  [SyntaxKind.SlashToken, [['arithmetic', '*'] as const]],
  [SyntaxKind.PercentToken, [['arithmetic', '*'] as const]],
  [SyntaxKind.AsteriskAsteriskToken, [['arithmetic', '*'] as const]],
  [SyntaxKind.PlusEqualsToken, [['arithmetic', '-='] as const]],
  [SyntaxKind.MinusEqualsToken, [['arithmetic', '+='] as const]],
]);

const operator: Mutator = (node, text) => {
  if (!isBinaryExpression(node)) return [];
  const joinsTexts = node.operatorToken.kind === SyntaxKind.PlusToken && /['"`]/.test(text(node));
  if (joinsTexts) return [];
  const ways = OPERATORS.get(node.operatorToken.kind) ?? [];
  return ways.map(([mutator, after]) => replace(mutator, operatorOf(node), ` ${after}`));
};

/** `if (!a)`, `a ? b : c`; comparisons are negated by their operator. */
const condition: Mutator = (node, text) => {
  if (isPrefixUnaryExpression(node) && node.operator === SyntaxKind.ExclamationToken)
    return [replace('negation', node, ` ${text(node.operand)}`)];
  if (!isIfStatement(node) && !isConditionalExpression(node)) return [];
  const asked = isIfStatement(node) ? node.expression : node.condition;
  const compared = isBinaryExpression(asked) && OPERATORS.has(asked.operatorToken.kind);
  if (compared || isPrefixUnaryExpression(asked)) return [];
  return [replace('negation', asked, `!(${text(asked)})`)];
};

const truth: Mutator = (node) => {
  if (node.kind === SyntaxKind.TrueKeyword) return [replace('boolean', node, ' false')];
  return node.kind === SyntaxKind.FalseKeyword ? [replace('boolean', node, ' true')] : [];
};

const string: Mutator = (node) => {
  const isText = isStringLiteral(node) || isNoSubstitutionTemplateLiteral(node) || isTemplateExpression(node);
  if (!isText || (isPropertyAssignment(node.parent) && node.parent.name === node)) return [];
  const isEmpty = !isTemplateExpression(node) && node.text === '';
  return [replace('string', node, isEmpty ? " 'something'" : " ''")];
};

const number: Mutator = (node, text) => {
  if (!isNumericLiteral(node) || (isPropertyAssignment(node.parent) && node.parent.name === node)) return [];
  const value = Number(text(node).replaceAll('_', ''));
  if (!Number.isSafeInteger(value)) return [replace('number', node, ` (${value} * 2)`)];
  const negated = isPrefixUnaryExpression(node.parent);
  return [value + 1, value - 1].map((next) => replace('number', node, negated || next < 0 ? ` (${next})` : ` ${next}`));
};

/** A call, an assignment or an awaited call that stands alone. */
const statement: Mutator = (node) => (isExpressionStatement(node) ? [replace('statement', node, ' ;')] : []);

/** Empties the result of a function, or a list. */
const empty: Mutator = (node, text) => {
  if (isArrayLiteralExpression(node) && node.elements.length > 0 && !isAssigned(node))
    return [replace('empty', node, ' []')];
  if (isReturnStatement(node) && node.expression !== undefined && text(node.expression) !== 'undefined')
    return [replace('empty', node.expression, ' undefined')];
  if (isArrowFunction(node) && !isBlock(node.body) && !/^(?:undefined|void )/.test(text(node.body)))
    return [replace('empty', node.body, ' undefined')];
  return [];
};

/** `[a, b] = [b, a]`: the left side is no list. */
const isAssigned = (node: Node): boolean =>
  isBinaryExpression(node.parent) &&
  node.parent.left === node &&
  node.parent.operatorToken.kind === SyntaxKind.EqualsToken;

const isLiteral = (node: Node): boolean =>
  isNumericLiteral(node) ||
  isStringLiteral(node) ||
  node.kind === SyntaxKind.TrueKeyword ||
  node.kind === SyntaxKind.FalseKeyword;

/** `a ?? b` loses one side; where `b` is a literal, 0 and '' count as absent. `a?.b` trusts that there is an `a`. */
const absent: Mutator = (node, text) => {
  if (isPropertyAccessExpression(node) && node.questionDotToken !== undefined)
    return [replace('default', node.questionDotToken, '.')];
  if (!isBinaryExpression(node) || node.operatorToken.kind !== SyntaxKind.QuestionQuestionToken) return [];
  const sides = [node.left, node.right].map((side) => replace('default', node, ` (${text(side)})`));
  return isLiteral(node.right)
    ? [...sides, replace('default', node, ` (${text(node.left)} || ${text(node.right)})`)]
    : sides;
};

/** Methods and the ones that take their place; undefined: the call is left out and its list stays. */
const METHODS: Readonly<Record<string, string | undefined>> = {
  some: 'every',
  every: 'some',
  min: 'max',
  max: 'min',
  floor: 'ceil',
  ceil: 'floor',
  startsWith: 'endsWith',
  endsWith: 'startsWith',
  find: 'findLast',
  findLast: 'find',
  filter: undefined,
  slice: undefined,
  toSorted: undefined,
  sort: undefined,
  toReversed: undefined,
  trim: undefined,
};

const method: Mutator = (node, text) => {
  if (!isCallExpression(node)) return [];
  const name = methodOf(node);
  if (name === undefined || !Object.hasOwn(METHODS, name.method)) return [];
  const other = METHODS[name.method];
  if (other !== undefined) return [replace('method', name.node, other)];
  return [replace('method', node, ` ${text(name.of)}`)];
};

function methodOf({ expression }: CallExpression): { method: string; node: Node; of: Node } | undefined {
  if (!isPropertyAccessExpression(expression) || !isIdentifier(expression.name)) return undefined;
  return { method: expression.name.text, node: expression.name, of: expression.expression };
}

const MUTATORS: readonly Mutator[] = [operator, condition, truth, string, number, statement, empty, absent, method];
