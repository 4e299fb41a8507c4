import assert from 'node:assert/strict';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { secretStores } from '../../../providers/secrets/index.ts';
import { secretUriExamples } from '../../../src/core/documents/secret-ref.ts';
import type { Result } from '../../../src/core/failure.ts';
import { secretsBy } from '../../../src/secrets/resolver.ts';
import { assertHidden, canary } from '../../support/canary.ts';

const sayingIt = {
  __type: canary,
  Message: canary,
  message: canary,
  error: { code: canary, status: canary, message: canary },
};

/** Answers that no store gives: mistakes, or those of another server in its place. */
const answers: readonly { name: string; answer: (response: ServerResponse) => void; want: readonly string[] }[] = [
  { name: 'JSON cut short', answer: json(200, `{"SecretString":"${canary}`), want: ['secret-malformed'] },
  { name: 'no JSON', answer: json(200, canary), want: ['secret-malformed'] },
  { name: 'another object', answer: json(200, JSON.stringify({ [canary]: canary })), want: ['secret-malformed'] },
  { name: 'null', answer: json(200, 'null'), want: ['secret-malformed'] },
  {
    name: 'a value that is no text',
    answer: json(200, JSON.stringify({ SecretString: [canary], payload: { data: [canary] }, value: [canary] })),
    want: ['secret-malformed'],
  },
  {
    name: 'an error that is no JSON',
    answer: json(500, `<html>${canary}</html>`),
    want: ['secret-store-away', 'secret-malformed'],
  },
  { name: 'a refusal that says the secret', answer: json(403, JSON.stringify(sayingIt)), want: ['secret-refused'] },
  {
    name: 'more than any secret',
    answer: json(200, JSON.stringify({ value: canary.repeat(60_000), SecretString: canary.repeat(60_000) })),
    want: ['secret-malformed', 'secret-store-away'],
  },
];

function json(status: number, body: string) {
  return (response: ServerResponse): void => {
    response.writeHead(status, { 'content-type': 'application/json', 'x-amzn-errortype': canary }).end(body);
  };
}

let url = '';
let answer: (response: ServerResponse) => void = () => undefined;
const asked: string[] = [];
const server = createServer((request, response) => {
  asked.push(`${request.headers.host}${request.url}`);
  answer(response);
});
before(async () => {
  process.env['AWS_ACCESS_KEY_ID'] ??= 'AKIDEXAMPLE';
  process.env['AWS_SECRET_ACCESS_KEY'] ??= 'not-a-secret';
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // why: a listening TCP server has no other form
});
after(() => {
  server.closeAllConnections();
  server.close();
});

const resolve = (uri: string, deadlineMs: number): Promise<Result<string>> =>
  secretsBy({ environment: {}, folder: undefined, stores: secretStores, deadlineMs }).resolve(
    { uri },
    { signal: new AbortController().signal, endpoint: url },
  );

for (const uri of secretUriExamples)
  describe(uri, () => {
    for (const given of answers)
      test(`${given.name} is ${given.want.join(' or ')}, and nothing of it is repeated`, async () => {
        answer = given.answer;
        const held = await resolve(uri, 15_000);
        assert.ok(!held.ok && given.want.includes(held.failure.code), JSON.stringify(held));
        assertHidden(held);
      });

    test('silence is ended', async () => {
      answer = () => undefined;
      const held = await resolve(uri, 200);
      assert.equal(held.ok ? 'read' : held.failure.code, 'secret-store-away');
      server.closeAllConnections();
    });

    test('nobody is sent elsewhere', async () => {
      for (const location of ['/elsewhere', `${url}/elsewhere`, `http://localhost:${new URL(url).port}/elsewhere`]) {
        asked.length = 0;
        answer = (response) => void response.writeHead(302, { location }).end();
        assert.equal((await resolve(uri, 15_000)).ok, false);
        assert.ok(asked.length > 0 && !asked.some((where) => where.endsWith('/elsewhere')), asked.join(' '));
      }
    });
  });
