import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setImmediate as breath } from 'node:timers/promises';
import { InfiniteQueryObserver, QueryClient, QueryObserver } from '@tanstack/react-query';
import { isOutdated, renew, watchAnswers } from '../src/renewal.ts';

/** A server of pages, and a list over it that a screen shows. Each answer waits until `answer` is called. */
function openList(context: TestContext, name: string) {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const queryClient = new QueryClient({ defaultOptions: { queries: { networkMode: 'always', retry: false } } });
  watchAnswers(queryClient);
  const waiting: (() => void)[] = [];
  const state = { version: 1, asked: 0, cancelled: 0 };
  const ask = async (signal: AbortSignal): Promise<number> => {
    state.asked += 1;
    signal.addEventListener('abort', () => {
      state.cancelled += 1;
    });
    const { version } = state;
    await new Promise<void>((resolve) => waiting.push(resolve));
    return version;
  };
  const list = new InfiniteQueryObserver(queryClient, {
    queryKey: [name],
    queryFn: ({ signal }) => ask(signal),
    initialPageParam: 0,
    getNextPageParam: (_, pages) => pages.length,
    staleTime: Number.POSITIVE_INFINITY,
  });
  context.after(list.subscribe(() => {}));
  const answer = async (): Promise<void> => {
    await breath();
    waiting.shift()?.();
    for (let turn = 0; turn < 5; turn += 1) await breath();
  };
  const query = queryClient.getQueryCache().find({ queryKey: [name] });
  if (query === undefined) throw new Error('the list asked nothing');
  return {
    ...{ queryClient, list, state, answer },
    rest: (ms: number) => context.mock.timers.tick(ms),
    pages: () => list.getCurrentResult().data?.pages,
    isMarked: () => isOutdated(query),
  };
}

test('an event during a request cancels nothing: the answer arrives, and the question is asked again after a rest', async (context) => {
  const { queryClient, state, answer, rest, pages } = openList(context, 'list');
  for (let event = 0; event < 5; event += 1) renew(queryClient, ['list']);
  state.version = 2;
  await answer();
  assert.deepEqual([pages(), state.asked, state.cancelled], [[1], 1, 0]);
  for (let event = 0; event < 5; event += 1) renew(queryClient, ['list']);
  assert.equal(state.asked, 1, 'it rests');
  rest(400);
  assert.equal(state.asked, 2);
  await answer();
  assert.deepEqual([pages(), state.asked, state.cancelled], [[2], 2, 0]);
});

test('a costly question rests longer, also while events come', async (context) => {
  const { queryClient, state, answer, rest } = openList(context, 'drift');
  renew(queryClient, ['drift']);
  await answer();
  rest(2_900);
  assert.equal(state.asked, 1);
  rest(100);
  assert.equal(state.asked, 2);
});

test('an event while a next page loads: the short list loads anew, and no mark shows', async (context) => {
  const { queryClient, list, state, answer, rest, pages, isMarked } = openList(context, 'list');
  await answer();
  void list.fetchNextPage();
  state.version = 2;
  renew(queryClient, ['list']);
  await answer();
  assert.deepEqual(pages(), [1, 1]);
  assert.equal(isMarked(), false, 'it loads anew by itself');
  rest(400);
  await answer();
  await answer();
  assert.deepEqual([pages(), isMarked()], [[2, 2], false]);
});

test('a long list is marked until somebody loads it anew; a next page takes no mark away', async (context) => {
  const { queryClient, list, state, answer, pages, isMarked } = openList(context, 'list');
  await answer();
  for (let page = 0; page < 5; page += 1) {
    void list.fetchNextPage();
    await answer();
  }
  assert.equal(isMarked(), false);
  state.version = 2;
  renew(queryClient, ['list']);
  assert.deepEqual([state.asked, isMarked()], [6, true]);
  void list.fetchNextPage();
  await answer();
  assert.deepEqual([pages(), isMarked()], [[1, 1, 1, 1, 1, 1, 2], true]);
  void list.refetch();
  assert.equal(isMarked(), false, 'it loads');
  for (let page = 0; page < 7; page += 1) await answer();
  assert.deepEqual([pages(), isMarked()], [Array(7).fill(2), false]);
});

test('a refused renewal of a list leaves the mark when a next page succeeds', async (context) => {
  const { queryClient, list, answer, isMarked } = openList(context, 'list');
  await answer();
  renew(queryClient, ['list']);
  await queryClient.cancelQueries({ queryKey: ['list'] });
  assert.equal(isMarked(), true);
  void list.fetchNextPage();
  await answer();
  await answer();
  assert.equal(isMarked(), true);
});

test('an answer that no screen shows is asked for when a screen shows it again', async (context) => {
  const { queryClient, state } = openList(context, 'list');
  const other = new QueryObserver(queryClient, {
    ...{ queryKey: ['other'], queryFn: () => state.version, staleTime: Number.POSITIVE_INFINITY },
  });
  const leave = other.subscribe(() => {});
  await breath();
  leave();
  renew(queryClient, ['other']);
  state.version = 2;
  context.after(other.subscribe(() => {}));
  await breath();
  await breath();
  assert.equal(queryClient.getQueryData(['other']), 2);
});
