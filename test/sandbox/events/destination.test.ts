import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readDestinations } from '../../../sandbox/events/destination.ts';

const url = 'http://127.0.0.1:8080/hook';
const aws = { cloud: 'aws', url, apiKey: 'k' };

const refused: readonly { readonly name: string; readonly given: unknown; readonly want: RegExp }[] = [
  { name: 'no list', given: aws, want: /events: expected a list/ },
  { name: 'a cloud that is none', given: [{ ...aws, cloud: 'oci' }], want: /events\[0\]\.cloud: expected one of aws/ },
  { name: 'another machine', given: [{ ...aws, url: 'http://example.com/' }], want: /\[0\]\.url: .*on this machine/ },
  { name: 'a name that only begins so', given: [{ ...aws, url: 'http://127.0.0.1.example.com/' }], want: /\.url: / },
  { name: 'TLS', given: [{ ...aws, url: 'https://127.0.0.1/' }], want: /\.url: expected an http URL/ },
  { name: 'no key', given: [{ cloud: 'aws', url }], want: /\.apiKey: expected a string, found nothing/ },
  { name: 'no audience', given: [{ cloud: 'gcp', url, serviceAccount: 'a@b' }], want: /\.audience: expected a string/ },
  { name: 'what another cloud has', given: [{ cloud: 'azure', url, apiKey: 'k' }], want: /unknown key "apiKey"/ },
  {
    name: 'more than all twice',
    given: [{ ...aws, duplicates: 2 }],
    want: /\.duplicates: expected a number from 0 to 1/,
  },
];

describe('destinations', () => {
  for (const { name, given, want } of refused)
    it(`refused: ${name}`, () => assert.throws(() => readDestinations(given, 'events'), want));

  it('one of each', () => {
    const gcp = { cloud: 'gcp', url: 'http://localhost:1/', audience: 'a', serviceAccount: 'p@acme.example' };
    const azure = { cloud: 'azure', url: 'http://[::1]:1/?secret=s', except: ['setpoint'], delayMs: 5, attempts: 1 };
    const read = readDestinations([aws, gcp, azure], 'events');
    assert.deepEqual(JSON.parse(JSON.stringify(read)), [aws, gcp, azure]);
  });
});
