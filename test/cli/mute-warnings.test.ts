import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import { muteWarnings } from '../../src/cli/terminal.ts';

test('warnings of a name are not printed, and others are', () => {
  const on = new EventEmitter();
  const printed: string[] = [];
  on.on('warning', ({ name }: Error) => void printed.push(name));
  muteWarnings(on, ['MetadataLookupWarning']);
  for (const name of ['DeprecationWarning', 'MetadataLookupWarning'])
    on.emit('warning', Object.assign(new Error('w'), { name }));
  assert.deepEqual(printed, ['DeprecationWarning']);
});
