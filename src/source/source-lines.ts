import type { Problem } from '../core/spec/problem.ts';

/** Problems of one file, each with the line it stands on. */
export function withSource(problems: readonly Problem[], lines: readonly string[]): readonly Problem[] {
  const masked = problems.length > 0 ? maskSecrets(lines) : lines;
  return problems.map((problem) => {
    const source = masked[problem.at.line - 1];
    return source === undefined ? problem : { ...problem, source };
  });
}

/**
 * Hides what stands after a key that sounds like a secret, on its line and on all lines indented deeper. People write
 * secrets into specs by mistake, and what we print ends up in logs. It errs towards hiding.
 */
export function maskSecrets(lines: readonly string[]): readonly string[] {
  let hiding = Number.POSITIVE_INFINITY;
  return lines.map((line) => {
    const indent = line.search(/\S/);
    if (indent > hiding) return `${line.slice(0, indent)}***`;
    if (indent >= 0) hiding = Number.POSITIVE_INFINITY;
    const found = SECRET.exec(line);
    if (!found) return line;
    hiding = indent;
    return `${line.slice(0, found.index + found[0].length)} ***`;
  });
}

const SECRET = /(?:pass(?:word|wd|phrase)|secret|token|credentials?|private.?key)["']?\s*:|-----BEGIN/i;
