import { readFile } from 'node:fs/promises';
import type { Access } from '../core/access/access-document.ts';
import { renderProblem } from '../core/documents/problem.ts';
import { parseAccess } from '../source/parse-access.ts';

/** Whom we believe, as a file says it that no repository of specs holds. Throws for whatever is wrong with it, line by line. */
export async function readAccess(path: string): Promise<Access> {
  const text = await readFile(path, 'utf8').catch((cause) => {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`the access file ${path} cannot be read: ${why}. Name another with --access.`, { cause });
  });
  const { access, problems } = parseAccess({ path, text });
  if (access !== undefined) return access;
  const said = problems.map((problem) => renderProblem(problem)).join('\n\n');
  throw new Error(`the access file is not sound, so nobody is let in by it:\n\n${said}`);
}
