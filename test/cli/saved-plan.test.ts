import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { UserError } from '../../src/cli/errors.ts';
import { readPlan } from '../../src/cli/local/saved-plan.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

const action = { address: 'memory/acme/here/network/core', verb: 'create', digest: 'd1' };
const plan = { estate: 'acme', revision: 'r', digest: 'd', summary: {}, actions: [{ ...action, because: 'absent' }] };
const sound = { format: 'setpoint-plan/1', targets: ['here'], plan };

const damaged: readonly (readonly [name: string, value: unknown, why: RegExp])[] = [
  ['null', null, /^In the file, expected one JSON object\.$/],
  ['another format', { ...sound, format: 'setpoint-plan/0' }, /^At format, expected "setpoint-plan\/1"\.$/],
  ['no targets', { ...sound, targets: undefined }, /^At targets, expected a list of targets\.$/],
  ['no plan', { ...sound, plan: undefined }, /^At plan, expected a plan\.$/],
  ['no estate', { ...sound, plan: { ...plan, estate: 1 } }, /^At plan\.estate, expected the name of an estate\.$/],
  ['no actions', { ...sound, plan: { ...plan, actions: undefined } }, /^At plan\.actions, expected a list of/],
  ['a list of anything', { ...sound, plan: { ...plan, actions: [null] } }, /^At plan\.actions\.0, expected an/],
  ['no digest', { ...sound, plan: { ...plan, actions: [{ ...action, digest: undefined }] } }, /0\.digest, .* a digest/],
  ['no verb of ours', { ...sound, plan: { ...plan, actions: [{ ...action, verb: 'x' }] } }, /0\.verb, .* a verb\.$/],
];

const fileOf = (text: string): string => join(temporaryFolder({ 'kept.plan': text }), 'kept.plan');

test('of a sound plan as much as applying it needs is read', async () => {
  const read = await readPlan(fileOf(JSON.stringify(sound)));
  assert.deepEqual(read, { estate: 'acme', targets: ['here'], digest: 'd', actions: [action] });
});

for (const [name, text, why] of [
  ['cut off', JSON.stringify(sound).slice(0, 40), /^In the file, expected one JSON object\.$/] as const,
  ...damaged.map(([what, value, says]) => [what, JSON.stringify(value), says] as const),
])
  test(`a damaged plan is refused, with the way to another: ${name}`, async () => {
    const file = fileOf(text);
    const refused = await readPlan(file).then(
      () => undefined,
      (cause: unknown) => cause,
    );
    assert.ok(refused instanceof UserError, String(refused));
    assert.deepEqual([refused.code, refused.message], [1, `${file} is not a valid plan file.`]);
    assert.match(refused.details.why ?? '', why);
    assert.equal(refused.details.next, `Make one with: setpoint plan --out ${file}`);
  });
