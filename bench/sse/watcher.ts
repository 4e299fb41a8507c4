import { createHash, type Hash } from 'node:crypto';
import { type ClientRequest, get, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** A client, and what it has had. It keeps no event, so that two hundred of them fit. */
export interface Watcher {
  /** Ends once it is connected, and has been told where it stands. */
  begin(): Promise<void>;
  /** Loses its connection in the middle of whatever comes, and comes back after so long with the last id that it has. */
  comeBack(afterMs: number): Promise<void>;
  had(): Had;
  leave(): void;
}

/** `digest`: of all ids in the order in which they came. `late`: ms from when each became true, of those that came live. */
export interface Had {
  readonly count: number;
  readonly digest: string;
  readonly resets: number;
  readonly late: readonly number[];
}

export const digestOf = (ids: Iterable<string>): string => {
  const hash = createHash('sha256');
  for (const id of ids) hash.update(id);
  return hash.digest('hex');
};

export function watcherOf(url: string, token: string): Watcher {
  const hash: Hash = createHash('sha256');
  const late: number[] = [];
  let count = 0;
  let resets = 0;
  let lastId: string | undefined;
  let isLive = true;
  let request: ClientRequest | undefined;

  const take = (block: string): void => {
    const field = (name: string): string | undefined =>
      block
        .split('\n')
        .find((line) => line.startsWith(`${name}: `))
        ?.slice(name.length + 2);
    lastId = field('id') ?? lastId;
    const data = field('data');
    if (data === undefined) return;
    if (field('event') === 'reset') resets += 1;
    hash.update(lastId ?? '');
    count += 1;
    if (isLive) late.push(Date.now() - Date.parse(JSON.parse(data).at));
  };

  const connect = async (): Promise<void> => {
    const headers = { authorization: `Bearer ${token}`, ...(lastId === undefined ? {} : { 'last-event-id': lastId }) };
    const own = get(new URL('/v1/events', url), { headers, agent: false });
    request = own;
    const answer = await answerOf(own);
    const opened = Promise.withResolvers<void>();
    let rest = '';
    answer.setEncoding('utf8').on('error', () => {});
    answer.on('data', (text: string) => {
      if (request !== own) return;
      const blocks = (rest + text).split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) take(block);
      opened.resolve();
    });
    await opened.promise;
  };

  return {
    begin: connect,
    comeBack: async (afterMs) => {
      request?.destroy();
      request = undefined;
      isLive = false;
      await sleep(afterMs);
      await connect();
      await sleep(2000);
      isLive = true;
    },
    had: () => ({ count, digest: hash.copy().digest('hex'), resets, late }),
    leave: () => request?.destroy(),
  };
}

async function answerOf(request: ClientRequest): Promise<IncomingMessage> {
  const answered = Promise.withResolvers<IncomingMessage>();
  request.once('response', answered.resolve);
  request.on('error', answered.reject);
  const answer = await answered.promise;
  if (answer.statusCode !== 200) throw new Error(`the server answered ${answer.statusCode} to a client`);
  return answer;
}
