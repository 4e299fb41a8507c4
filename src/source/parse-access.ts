import { type Access, accessSchema } from '../core/access/access-document.ts';
import { error, type Problem } from '../core/documents/problem.ts';
import { problemsOfIssue } from '../core/documents/read-document.ts';
import { plainValue } from '../core/documents/tree.ts';
import { parseFile, showProblems } from './parse-specs.ts';
import type { SpecFile } from './tree.ts';

/** The content of an access file, or all of its problems. */
export type AccessReading =
  | { readonly access: Access; readonly problems?: never }
  | { readonly access?: never; readonly problems: readonly Problem[] };

/** YAML or JSON under the rules of specs: one document, plain data, nothing unknown. Pure, never throws. */
export function parseAccess(file: SpecFile): AccessReading {
  const { trees, problems } = parseFile(file);
  const refused = (found: readonly Problem[]): AccessReading => ({
    problems: showProblems(file.path, file.text, found),
  });
  if (problems.length > 0) return refused(problems);
  const [tree, second] = trees;
  const start = { file: file.path, line: 1, column: 1 };
  if (tree === undefined)
    return refused([error('no-document', start, 'there is nothing in this file', { expected: form })]);
  if (second !== undefined)
    return refused([error('too-many-documents', second.at, 'a second document', { expected: form })]);
  const result = accessSchema.safeParse(plainValue(tree));
  if (result.success) return { access: result.data };
  return refused(result.error.issues.flatMap((issue) => problemsOfIssue(issue, accessSchema, tree)));
}

const form = 'one document with apiVersion, kind: Access, oidc and bindings';
