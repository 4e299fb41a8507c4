import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { canary, outputRecorder, planted } from '../../bench/secrets/canaries.ts';
import { secrets } from '../../bench/secrets.ts';
import { redisMissing } from '../support/redis.ts';

const one = 'event: user data in what CloudTrail tells';

describe('secrets are recorded', () => {
  const text = canary(one);
  const ways: Readonly<Record<string, string>> = {
    'as it is': text,
    'in JSON within JSON': JSON.stringify(JSON.stringify({ userData: text })),
    'in a URL': `https://127.0.0.1/?token=${encodeURIComponent(text)}`,
    'in hex': Buffer.from(text).toString('hex'),
    'in base64': Buffer.from(text).toString('base64'),
    'in base64, within something': Buffer.from(`{"a":"${text}"}`).toString('base64'),
    'in base64, a letter further': Buffer.from(`{"ab":"${text}"}`).toString('base64'),
    'in base64 for URLs': Buffer.from(`ab${text}`).toString('base64url'),
  };
  for (const [name, said] of Object.entries(ways))
    it(name, () => {
      const outputs = outputRecorder();
      outputs.record('the log', `before ${said} behind`);
      assert.deepEqual(outputs.found(), [`${one}, in the log`]);
    });

  it('but not where one is meant to stand', () => {
    const outputs = outputRecorder();
    outputs.plant('a token', 'made-on-the-way-0123456789', 'stdout of setpoint token');
    outputs.record('stdout of setpoint token', 'made-on-the-way-0123456789');
    outputs.record('the log', 'made-on-the-way-0123456789');
    assert.deepEqual(outputs.found(), ['a token, in the log']);
  });

  it('each by its own word', () => assert.equal(new Set(planted.map(canary)).size, planted.length));
  it('of at least 25 inputs', () => assert.ok(planted.length >= 25));
});

it('of all that is planted only the one comes out that somebody lets out', { skip: redisMissing() }, async () => {
  const [figure] = await secrets({ spoil: (outputs) => outputs.record('the log of setpoint worker', canary(one)) });
  assert.equal(figure?.value, 1);
});
