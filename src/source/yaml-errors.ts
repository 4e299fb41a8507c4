import type { YAMLError } from 'yaml';
import { error, type Problem } from '../core/documents/problem.ts';
import type { Position } from '../core/documents/tree.ts';

/**
 * In our words and by code only: the parser's own message may repeat what stands in the file, which may be a secret.
 * Codes: https://eemeli.org/yaml/#errors
 */
export function explainYamlError(found: YAMLError, positionAt: (offset: number) => Position): Problem {
  const message = Object.hasOwn(WORDS, found.code) ? WORDS[found.code] : undefined;
  return error('bad-yaml', positionAt(found.pos[0]), message ?? 'this is not valid YAML');
}

const WORDS: Readonly<Record<string, string>> = {
  BAD_DQ_ESCAPE: 'there is no such escape in double quotes; a backslash itself is \\\\',
  BAD_INDENT: 'this is not indented as its neighbours are, or a bracket before it is not closed',
  BAD_SCALAR_START: 'text cannot begin with this character: put it in quotes',
  BLOCK_AS_IMPLICIT_KEY: 'a second `:` on one line: put the text in quotes, or begin a new line',
  BLOCK_IN_FLOW: 'inside brackets, lists and maps need brackets too',
  KEY_OVER_1024_CHARS: 'this key is too long',
  MISSING_CHAR: 'something is missing here: a closing bracket or quote, a comma, a colon, or a blank',
  MULTILINE_IMPLICIT_KEY: 'this stands on more than one line but seems to be a key: is a `:` missing?',
  TAB_AS_INDENT: 'tabs cannot indent: use blanks',
  UNEXPECTED_TOKEN: 'this cannot stand here',
};
