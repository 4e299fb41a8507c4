import type { Problem } from '../core/documents/problem.ts';
import { shownText } from './characters.ts';

/** Problems of one file, each with the line it stands on. */
export function withSource(problems: readonly Problem[], lines: readonly string[]): readonly Problem[] {
  const masked = problems.length > 0 ? maskSecrets(lines) : lines;
  return problems.map((problem) => {
    const source = masked[problem.at.line - 1];
    return source === undefined ? problem : { ...problem, source: shownText(source) };
  });
}

/**
 * Hides what stands after a key that sounds like a secret, on its line and on all lines indented deeper. People write
 * secrets into specs by mistake, and what we print ends up in logs. It errs towards hiding: of credentials only a role
 * is shown.
 */
export function maskSecrets(lines: readonly string[]): readonly string[] {
  let hiding = Number.POSITIVE_INFINITY;
  return lines.map((line) => {
    const indent = line.search(/\S/);
    if (indent > hiding) return ROLE.test(line) ? line : `${line.slice(0, indent)}***`;
    if (indent >= 0) hiding = Number.POSITIVE_INFINITY;
    const found = SECRET.exec(line);
    if (!found) return line.replaceAll(IN_URL, '$1$2***@');
    hiding = found[0].startsWith('-') ? indent - 1 : indent;
    const end = found.index + found[0].length;
    return ROLE.test(line.slice(end)) ? line : `${line.slice(0, end)} ***`;
  });
}

const SECRET = /(?:pass(?:word|wd|phrase)|secret|token|credentials?|private.?key)["']?\s*:|-----BEGIN/i;
/** What stands before the host; of ssh alone a bare user is shown. */
const IN_URL = /(https?:\/\/)[^/\s]*@|(:\/\/)[^/\s]*:[^/\s]*@/gi;
const ROLE = /^\s*(?:$|\{?\s*assumeRole\s*:\s*["']?arn:aws[\w:/+=,.@-]*["']?\s*\}?\s*(?:#.*)?$)/;
