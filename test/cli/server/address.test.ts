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
  ['specs', /"specs" is no address of a server/],
  ['specs/prod', /"specs\/prod" is no address/],
  ['setpoint.example', /no address of a server/],
  ['ftp://setpoint.example', /no address of a server/],
  ['', /no address of a server/],
  ['http://setpoint.example', /for all to read/],
  ['http://127.0.0.1.example.com', /for all to read/],
  ['http://128.0.0.1', /for all to read/],
  ['http://localhost.example', /for all to read/],
  ['https://ann:s3cret@setpoint.example', /origin and path/],
  ['https://s3cret@setpoint.example', /origin and path/],
  ['https://setpoint.example/?token=s3cret', /origin and path/],
  ['https://setpoint.example/#s3cret', /origin and path/],
  ['setpoint_0123456789abcdef_s3cret@', /^That is no address/],
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
