import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { serverAddress } from '../../../src/cli/api-client/logins.ts';
import { UserError } from '../../../src/cli/errors.ts';

const taken: readonly (readonly [given: string, address: string])[] = [
  ['https://setpoint.example', 'https://setpoint.example'],
  ['https://SETPOINT.example:443/', 'https://setpoint.example'],
  ['https://setpoint.example:8443/infra/', 'https://setpoint.example:8443/infra'],
  ['http://127.0.0.1:7420', 'http://127.0.0.1:7420'],
  ['http://127.1:7420', 'http://127.0.0.1:7420'],
  ['http://localhost:7420/', 'http://localhost:7420'],
  ['http://[::1]:7420', 'http://[::1]:7420'],
];

const refused: readonly (readonly [given: string, says: RegExp])[] = [
  ['specs', /"specs" is not the address of a server/],
  ['specs/prod', /"specs\/prod" is not the address/],
  ['setpoint.example', /is not the address of a server/],
  ['ftp://setpoint.example', /is not the address of a server/],
  ['', /is not the address of a server/],
  ['http://setpoint.example', /unencrypted over the network/],
  ['http://127.0.0.1.example.com', /unencrypted over the network/],
  ['http://128.0.0.1', /unencrypted over the network/],
  ['http://localhost.example', /unencrypted over the network/],
  ['https://ann:s3cret@setpoint.example', /an origin and a path/],
  ['https://s3cret@setpoint.example', /an origin and a path/],
  ['https://setpoint.example/?token=s3cret', /an origin and a path/],
  ['https://setpoint.example/#s3cret', /an origin and a path/],
  ['setpoint_0123456789abcdef_s3cret@', /^That is not the address/],
];

describe('a server is named by an address over which a token may go', () => {
  for (const [given, address] of taken) test(given, () => assert.equal(serverAddress(given), address));
  for (const [given, says] of refused)
    test(`refused: ${JSON.stringify(given)}`, () =>
      assert.throws(
        () => serverAddress(given),
        (error) =>
          error instanceof UserError && says.test(error.message) && !JSON.stringify(error.details).includes('s3cret'),
      ));
});
