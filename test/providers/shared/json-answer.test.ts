import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type Body, readBytes } from '../../../providers/shared/json-answer.ts';

setFlagsFromString('--expose-gc');
// why: with the flag set, a new context has the collector's function
const collect = runInNewContext('gc') as () => void;

const asked = { cloud: 'Some cloud', action: 'things.list' };

interface Given {
  readonly body: Body;
  readonly closed: () => number;
}

const bodyOf = (chunks: () => AsyncGenerator<Uint8Array | string>): Given => {
  let times = 0;
  return {
    body: {
      chunks: chunks(),
      giveUp: () => {
        times += 1;
      },
    },
    closed: () => times,
  };
};

const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

describe('a body', () => {
  test('is read to its end, and its connection is left alone', async () => {
    const { body, closed } = bodyOf(async function* () {
      yield '{"a":';
      yield new TextEncoder().encode('1}');
    });
    assert.equal(textOf(await readBytes(body, { bytes: 7, ms: 60_000 }, asked)), '{"a":1}');
    assert.equal(closed(), 0);
  });

  test('that is not there is empty', async () => {
    assert.equal((await readBytes(undefined, { bytes: 1, ms: 60_000 }, asked)).length, 0);
  });

  test('is given up at the first byte too many', async () => {
    const { body, closed } = bodyOf(async function* () {
      yield '12345';
      yield '678';
      assert.fail('it was read on');
    });
    await assert.rejects(readBytes(body, { bytes: 7, ms: 60_000 }, asked), { code: 'AnswerTooLarge' });
    assert.equal(closed(), 1);
  });

  test('that breaks off is given up, with the error of its connection', async () => {
    const { body, closed } = bodyOf(async function* () {
      yield '1';
      throw new Error('reset');
    });
    await assert.rejects(readBytes(body, { bytes: 7, ms: 60_000 }, asked), { message: 'reset' });
    assert.equal(closed(), 1);
  });

  test('that nobody holds and that never goes on ends all the same', async () => {
    const { body, closed } = bodyOf(async function* () {
      yield '{"a":';
      setImmediate(collect);
      await new Promise(() => {});
    });
    await assert.rejects(readBytes(body, { bytes: 7, ms: 50 }, asked), {
      code: 'AnswerNotEnded',
      message: /^Some cloud answered things\.list with a body that did not end within 0\.05 s\./,
    });
    assert.equal(closed(), 1);
  });
});
