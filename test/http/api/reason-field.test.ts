import assert from 'node:assert/strict';
import { it } from 'node:test';
import { parseReason } from '../../../src/cli/options.ts';
import { reasonField } from '../../../src/http/api/fields.ts';

const rows: readonly (readonly [name: string, reason: string, isTaken: boolean])[] = [
  ['a line', 'an incident: 4711', true],
  ['another script', 'תקלה בשרת', true],
  ['an emoji of several signs', 'done 👩‍🚒', true],
  ['an override of direction', 'ok \u202egnihton', false],
  ['an isolate', 'ok \u2066x\u2069', false],
  ['a mark of direction', 'ok\u200f', false],
  ['a separator of lines', 'ok\u2028no', false],
  ['a control character', 'ok\u001b[2J', false],
];

for (const [name, reason, isTaken] of rows)
  it(`a reason with ${name} is ${isTaken ? 'taken' : 'refused'}, by the API and on the command line`, () => {
    assert.equal(reasonField.safeParse(reason).success, isTaken);
    if (isTaken) assert.equal(parseReason(reason), reason);
    else assert.throws(() => parseReason(reason), /one line/);
  });
