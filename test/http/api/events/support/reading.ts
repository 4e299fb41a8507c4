/** A client of Server-Sent Events, as far as it goes: https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation */
export interface Reading {
  /** Those that were dispatched. */
  readonly events: readonly Sent[];
  /** The position that a reader would resume from. */
  lastId(): string | undefined;
  retryMs(): number | undefined;
  comments(): number;
  lastComment(): string | undefined;
  feed(text: string): void;
}

export interface Sent {
  readonly id: string | undefined;
  readonly type: string;
  readonly data: string;
}

export function openReading(): Reading {
  const events: Sent[] = [];
  let rest = '';
  let type = '';
  let data = '';
  let buffered: string | undefined;
  let id: string | undefined;
  let retry: number | undefined;
  let comments = 0;
  let lastComment: string | undefined;
  const fields: Readonly<Record<string, (value: string) => void>> = {
    event: (value) => {
      type = value;
    },
    data: (value) => {
      data += `${value}\n`;
    },
    id: (value) => {
      buffered = value;
    },
    retry: (value) => {
      if (/^\d+$/.test(value)) retry = Number(value);
    },
  };
  const dispatch = (): void => {
    id = buffered;
    if (data !== '') events.push({ id, type: type || 'message', data: data.slice(0, -1) });
    type = '';
    data = '';
  };
  const take = (line: string): void => {
    if (line === '') dispatch();
    const colon = line.indexOf(':');
    if (colon === 0) {
      comments += 1;
      lastComment = line.slice(1).trim();
    }
    const [name, value] = colon < 0 ? [line, ''] : [line.slice(0, colon), line.slice(colon + 1).replace(/^ /, '')];
    fields[name]?.(value);
  };
  return {
    events,
    lastId: () => id,
    retryMs: () => retry,
    comments: () => comments,
    lastComment: () => lastComment,
    feed: (text) => {
      const lines = (rest + text).split(/\r\n|\n|\r/);
      rest = lines.pop() ?? '';
      for (const line of lines) take(line);
    },
  };
}
