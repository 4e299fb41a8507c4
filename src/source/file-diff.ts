import { FILE_HEADERS_ONLY, formatPatch, structuredPatch } from 'diff';
import type { ChangedFile } from '../ports/sources.ts';
import { maskSecrets } from './parse-specs.ts';
import { printableText } from './text.ts';

/** A unified diff for people, with the lines of secrets masked and nothing that a terminal obeys. It is no patch to apply. */
export function fileDiff({ path, before: was, after }: ChangedFile): string {
  const before = was ?? '';
  const to = after === undefined ? '/dev/null' : path;
  const patch = structuredPatch(was === undefined ? '/dev/null' : path, to, before, after ?? '', undefined, undefined, {
    context: 3,
  });
  const masked = { old: maskSecrets(before.split('\n')), new: maskSecrets((after ?? '').split('\n')) };
  const hunks = patch.hunks.map((hunk) => {
    let [old, young] = [hunk.oldStart - 1, hunk.newStart - 1];
    const lines = hunk.lines.map((line) => {
      const sign = line[0] ?? ' ';
      if (sign === '\\') return line;
      const text = sign === '+' ? masked.new[young] : masked.old[old];
      old += sign === '+' ? 0 : 1;
      young += sign === '-' ? 0 : 1;
      return sign + printableText((text ?? '').replace(/\r$/, ''));
    });
    return { ...hunk, lines };
  });
  return formatPatch({ ...patch, hunks }, FILE_HEADERS_ONLY);
}
