/** The code by which a creation is closed that no look showed in all the time a cloud may take. Its call may come late still. */
export const neverHappened = 'NeverHappened';
