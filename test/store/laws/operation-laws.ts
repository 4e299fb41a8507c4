import assert from 'node:assert/strict';
import type { Laws } from './bench.ts';

const scope = 'azure/s/westeurope';

/** Long-running operations outlive the process that began them. */
export const operationLaws: Laws = {
  'an operation that one process kept, another finds, as it was last written': async ({ estate, store, other }) => {
    await store.operations.keep(estate, scope, { id: 'PUT vm-1', state: 'at first' });
    await store.operations.keep(estate, scope, { id: 'PUT vm-2', state: 'x' });
    await store.operations.keep(estate, scope, { id: 'PUT vm-1', state: 'later' });
    assert.deepEqual(await other.operations.list(estate, scope), [
      { id: 'PUT vm-1', state: 'later' },
      { id: 'PUT vm-2', state: 'x' },
    ]);
  },
  'what is dropped is gone for all, and dropping it again is nothing': async ({ estate, store, other }) => {
    await store.operations.keep(estate, scope, { id: 'a', state: '1' });
    await other.operations.drop(estate, scope, 'a');
    await store.operations.drop(estate, scope, 'a');
    assert.deepEqual(await store.operations.list(estate, scope), []);
  },
  'operations of another scope or estate are not listed, nor dropped': async ({ estate, store }) => {
    await store.operations.keep(estate, scope, { id: 'a', state: '1' });
    await store.operations.drop(estate, 'azure/s/northeurope', 'a');
    await store.operations.drop(`${estate}-x`, scope, 'a');
    assert.deepEqual(await store.operations.list(estate, 'azure/s/northeurope'), []);
    assert.deepEqual(await store.operations.list(estate, scope), [{ id: 'a', state: '1' }]);
  },
};
