import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limits } from '../../src/source/limits.ts';
import { prescan } from '../../src/source/prescan.ts';

/** The scan alone: what it misses the reader refuses later, but at the parser's cost. */
const cases: readonly { name: string; text: string; want: string }[] = [
  { name: 'an escaped quote does not end its text', text: 'a: "x\\" *y"\nb: &z 1', want: '2:4 anchor' },
  { name: 'an escaped backslash does', text: 'a: "x\\\\"\nb: *z', want: '2:4 alias' },
  { name: 'a doubled quote does not end its text', text: "a: 'it''s *x'\nb: *z", want: '2:4 alias' },
  { name: 'the other quote does not end a text', text: 'a: "it\'s"\nb: *z', want: '2:4 alias' },
  { name: 'quoted text goes on over lines', text: 'a: "x\n  &y\n  *z"\nb: !t 1', want: '4:4 tag' },
  { name: 'a key may end its quote and its word at once, in a flow', text: '{"a":*x}', want: '1:6 alias' },
  { name: 'but not in a block', text: '"a":*x', want: '' },
  { name: 'a colon inside a word is no mark', text: 'a: http://x:*y', want: '' },
  { name: 'a dash inside a word is no mark', text: 'a: b-*c', want: '' },
  { name: 'a comma is a mark in flows only', text: 'a: b, *c\nd: [e, *f]', want: '2:8 alias' },
  { name: 'a hash inside a word is no comment', text: 'a: b#c\nd: *e', want: '2:4 alias' },
  { name: 'behind a comment there is nothing', text: 'a: b # "\nd: *e', want: '2:4 alias' },
  { name: 'a block scalar holds what is indented deeper', text: 'a: |\n *x\n\n &y\nb: !z 1', want: '5:4 tag' },
  { name: 'and nothing that is not', text: 'a: |\n&x b', want: '2:1 anchor' },
  { name: 'in a list it holds what is deeper than the dash', text: '- |\n *x\n- !y 1', want: '3:3 tag' },
  { name: 'below a key in a list, what is deeper than the key', text: '- a: |\n   *x\n  b: *y', want: '3:6 alias' },
  { name: 'a pipe inside a word begins none', text: 'a: b | c\n  *d', want: '2:3 alias' },
  { name: 'a flow goes on over lines', text: 'a: [\n*x]', want: '2:1 alias' },
  { name: 'a bracket inside a word opens nothing', text: 'a: b[c\nd, *e: 1', want: '' },
  { name: 'a merge key in a flow', text: 'a: {<<: b}', want: '1:5 merge-key' },
  { name: 'two less-than signs in a word', text: 'a: x << y', want: '' },
  { name: 'a directive is at the line begin', text: 'a: 1 %b\n%YAML 1.1', want: '2:1 directive' },
  { name: 'a question in a word', text: 'a: ?b', want: '' },
  { name: 'a question as a mark', text: 'a:\n  ? b', want: '2:3 explicit-key' },
  { name: 'as deep as it may be', text: '['.repeat(limits.depth - 1), want: '' },
  { name: 'one deeper', text: '['.repeat(limits.depth), want: `1:${limits.depth} too-deep` },
  { name: 'nodes side by side are not deep', text: 'a: [[[]]]\n'.repeat(100), want: '' },
  { name: 'as long as it may be', text: 'x'.repeat(limits.documentLength - 1), want: '' },
  { name: 'one longer', text: 'x'.repeat(limits.documentLength), want: '1:1 document-too-large' },
  { name: 'as full as it may be', text: '\n'.repeat(limits.documentTokens - 1), want: '' },
  { name: 'one fuller', text: '\n'.repeat(limits.documentTokens), want: '1:1 document-too-full' },
];

for (const { name, text, want } of cases) {
  test(`prescan: ${name}`, () => {
    const problems = prescan(text.split('\n'), (line, column) => ({ file: 'x', line: line + 1, column: column + 1 }));
    assert.equal(problems.map(({ at, code }) => `${at.line}:${at.column} ${code}`).join(', '), want);
  });
}
