import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { redactedText, redactor } from '../../src/engine/session.ts';

const secret = 'k4nari/e+"nvogel"=&';
const script = '#!/bin/sh\nset -e\nexport TOKEN=k4narienvogel\n';

const cases: readonly { name: string; learned: readonly string[]; said: string; want: string }[] = [
  { name: 'as it is', learned: [secret], said: `no ${secret} please`, want: `no ${redactedText} please` },
  { name: 'every time', learned: ['geheim'], said: 'geheim, geheim', want: `${redactedText}, ${redactedText}` },
  { name: 'in JSON', learned: [secret], said: JSON.stringify({ p: secret }), want: `{"p":"${redactedText}"}` },
  { name: 'in a URL', learned: [secret], said: `?p=${encodeURIComponent(secret)}`, want: `?p=${redactedText}` },
  {
    name: 'in base64',
    learned: [script],
    said: `UserData ${Buffer.from(script).toString('base64')}`,
    want: `UserData ${redactedText}`,
  },
  {
    name: 'a line of a script',
    learned: [script],
    said: 'line 3: export TOKEN=k4narienvogel',
    want: `line 3: ${redactedText}`,
  },
  { name: 'not a line that says nothing', learned: [script], said: 'set -e failed', want: 'set -e failed' },
  {
    name: 'one within another, the longer first',
    learned: ['geheim', 'geheimnis'],
    said: 'geheimnis',
    want: redactedText,
  },
  { name: 'not what is too short to be told from a word', learned: ['web'], said: 'web-0', want: 'web-0' },
  { name: 'nothing where nothing is known', learned: [], said: 'web-0', want: 'web-0' },
];

describe('blotting out', () => {
  for (const { name, learned, said, want } of cases)
    it(name, () => {
      const words = redactor();
      for (const one of learned) words.learn(one);
      assert.equal(words.out(said), want);
    });
});
