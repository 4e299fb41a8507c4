import { Link } from '@tanstack/react-router';
import { type AnchorHTMLAttributes, type ReactNode, type Ref, useEffect, useSyncExternalStore } from 'react';
import type { Resource } from './api.d.ts';
import { absoluteTime, relativeTime } from './time.ts';

type StatusName = Resource['status'];

interface Look {
  readonly word: string;
  readonly tone: 'well' | 'wrong' | 'attention' | 'busy' | 'quiet';
  /** Strokes of a symbol of 16 by 16: a status is never told by its colour alone. */
  readonly strokes: string;
}

/** In the order of urgency, which is also the order of filters and counts. */
export const statusLooks: Readonly<Record<StatusName, Look>> = {
  Failed: { word: 'Failed', tone: 'wrong', strokes: 'M4 4l8 8M12 4l-8 8' },
  Missing: { word: 'Missing', tone: 'wrong', strokes: 'M8 2.5a5.5 5.5 0 1 0 0 11a5.5 5.5 0 1 0 0-11M3.5 12.5l9-9' },
  Drifted: { word: 'Drifted', tone: 'attention', strokes: 'M3 6h10M3 10h10M10.5 3l-5 10' },
  Blocked: { word: 'Blocked', tone: 'attention', strokes: 'M8 2.5a5.5 5.5 0 1 0 0 11a5.5 5.5 0 1 0 0-11M5 8h6' },
  Paused: { word: 'Paused', tone: 'attention', strokes: 'M5.5 3.5v9M10.5 3.5v9' },
  Orphan: { word: 'Orphan', tone: 'attention', strokes: 'M8 3v5M8 11v1.5M4 3h8' },
  Pending: { word: 'Pending', tone: 'busy', strokes: 'M8 2.5a5.5 5.5 0 1 0 0 11a5.5 5.5 0 1 0 0-11M8 5v3.2l2 1.6' },
  Settling: { word: 'Settling', tone: 'busy', strokes: 'M12.8 6.5A5 5 0 1 0 13 9M13 3.5v3h-3' },
  Unmanaged: { word: 'Unmanaged', tone: 'quiet', strokes: 'M5.5 6a2.5 2.5 0 1 1 3.8 2.1C8.4 8.7 8 9.2 8 10M8 12.4v.3' },
  InSync: { word: 'In sync', tone: 'well', strokes: 'M3 8.5l3.4 3.4L13 4.8' },
};

const statusNames = Object.keys(statusLooks);

// why: the table has exactly the statuses as its keys
export const everyStatus = statusNames as readonly StatusName[];

export const Glyph = ({ strokes }: { readonly strokes: string }) => (
  <svg className="symbol" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
    <path d={strokes} />
  </svg>
);

export function Status({ status }: { readonly status: StatusName }) {
  const { word, tone, strokes } = statusLooks[status];
  return (
    <span className={`status tone-${tone}`}>
      <Glyph strokes={strokes} />
      {word}
    </span>
  );
}

const tick = { now: Date.now(), listeners: new Set<() => void>() };

window.setInterval(() => {
  tick.now = Date.now();
  for (const notify of tick.listeners) notify();
}, 5_000);

const onTick = (notify: () => void): (() => void) => {
  tick.listeners.add(notify);
  return () => void tick.listeners.delete(notify);
};

/** Draws again every 5 s: that is as precise as people need it. */
export const useTick = (): number => useSyncExternalStore(onTick, () => tick.now);

/** How long ago, or when; the whole time on the pointer. */
export function When({ at }: { readonly at: string }) {
  useTick();
  return (
    <time dateTime={at} title={absoluteTime(at)}>
      {relativeTime((Date.parse(at) - Date.now()) / 1000)}
    </time>
  );
}

interface TitleProps {
  readonly children: string;
  readonly className?: string;
}

/** The heading of a screen. The browser shows it as the title of the page, and the main region has it as its name. */
export function Title({ children, className }: TitleProps) {
  useEffect(() => {
    document.title = `${children} · Setpoint`;
  }, [children]);
  return (
    <h1 id="title" className={className}>
      {children}
    </h1>
  );
}

type Named = Pick<Resource, 'name' | 'address' | 'id'>;

/** A cloud may know no name of a resource: a heading and a link are never empty. */
export const nameOf = ({ name, address, id }: Named): string =>
  [name, address, id].find((one) => one !== undefined && one.trim() !== '') ?? '(unnamed)';

interface ResourceLinkProps extends Pick<AnchorHTMLAttributes<HTMLAnchorElement>, 'tabIndex' | 'onFocus'> {
  readonly estate: string | undefined;
  readonly resource: Named;
  /** `id`: several resources have its address. */
  readonly by?: 'address' | 'id';
  readonly 'data-row'?: number;
}

export function ResourceLink({ estate, resource, by = 'address', ...rest }: ResourceLinkProps) {
  const { address, id } = resource;
  return (
    <Link to="/resource" search={{ estate, of: by === 'id' ? (id ?? address) : (address ?? id) }} {...rest}>
      {nameOf(resource)}
    </Link>
  );
}

interface PanelProps {
  /** With it, the focus can go to the panel. */
  readonly ref?: Ref<HTMLElement>;
  readonly title: string;
  readonly aside?: ReactNode;
  readonly children: ReactNode;
}

export function Panel({ ref, title, aside, children }: PanelProps) {
  const id = `panel-${title.toLowerCase().replace(/\W+/g, '-')}`;
  return (
    <section ref={ref} className="panel" aria-labelledby={id} tabIndex={ref === undefined ? undefined : -1}>
      <header>
        <h2 id={id}>{title}</h2>
        {aside === undefined ? null : <p className="aside">{aside}</p>}
      </header>
      {children}
    </section>
  );
}

interface TableProps {
  /** The caption, for screen readers: `Targets`. */
  readonly name: string;
  readonly className?: string;
  /** A column of numbers has `isNumber`. */
  readonly columns: readonly (string | { readonly title: string; readonly isNumber: true })[];
  readonly children: ReactNode;
}

/** A table that scrolls by itself where it is wider than the page, also by keys. `children`: its rows. */
export const Table = ({ name, className = '', columns, children }: TableProps) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table scrolls, also by keys
  <section className="scroll" tabIndex={0} aria-label={`${name}, a table`}>
    <table className={`grid ${className}`}>
      <caption className="hidden">{name}</caption>
      <thead>
        <tr>
          {columns.map((column) =>
            typeof column === 'string' ? (
              <th key={column} scope="col">
                {column}
              </th>
            ) : (
              <th key={column.title} scope="col" className="right">
                {column.title}
              </th>
            ),
          )}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  </section>
);

interface NoticeProps {
  readonly tone?: 'quiet' | 'wrong' | 'attention' | 'well';
  readonly title: string;
  readonly children?: ReactNode;
}

export const Notice = ({ tone = 'quiet', title, children }: NoticeProps) => (
  <div className={`notice tone-${tone}`} role={tone === 'wrong' ? 'alert' : undefined}>
    <p className="notice-title">{title}</p>
    {children === undefined ? null : <div className="notice-text">{children}</div>}
  </div>
);
