import type { Logged } from '../../sandbox/request-log.ts';

export type Sort = 'create' | 'delete' | 'other';

/**
 * What a mutating request does to what stands, by its name and answer. Azure makes and changes by one method, and says which
 * it did by 201 and 200. Taking a tag away takes nothing away.
 */
export function sortOf({ action, status }: Logged): Sort {
  if (action === 'CreateTags' || action === 'DeleteTags') return 'other';
  if (action.endsWith('.createOrUpdate')) return status === 201 ? 'create' : 'other';
  if (creates.test(action)) return 'create';
  return deletes.test(action) ? 'delete' : 'other';
}

const creates = /^(?:Create|Run|Allocate|Authorize)|\.(?:insert|bulkInsert)$/;
const deletes = /^(?:Delete|Terminate|Release|Revoke)|\.delete$/;
