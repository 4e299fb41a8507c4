import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type KeyboardEvent, type ReactNode, type RefObject, useEffect, useMemo, useRef, useState } from 'react';
import type { Plan } from '../api.d.ts';
import { Notice, Title, useTick, When } from '../components.tsx';
import * as queries from '../queries.ts';
import { QueryState } from '../query-state.tsx';
import {
  type DriftEntry,
  entriesOf,
  type Group,
  type Grouping,
  grouped,
  groupingOf,
  groupings,
  matches,
  unknownPlaces,
} from './entries.ts';
import { useDriftKeys } from './keys.ts';
import { DriftRow, resourceOf } from './row.tsx';
import type { Shown } from './steady-list.ts';
import { useSteadyList } from './use-steady-list.ts';
import { countText, nothingText } from './words.ts';

/** The keys of the address of this screen. `open`: the keys of the open rows, a line each. */
export const driftKeys = ['estate', 'group', 'q', 'open'] as const;
type DriftSearch = Partial<Record<(typeof driftKeys)[number], string>>;

export function DriftScreen() {
  const { estate } = useSearch({ from: '/drift' });
  const drift = useQuery(queries.drift(estate));
  const { data } = drift;
  const entries = useMemo(() => (data === undefined ? undefined : entriesOf(data)), [data]);
  return (
    <>
      <div className="title-row">
        <Title>Drift</Title>
        <p className="quiet">
          <span role="status">{entries === undefined ? '' : countText(entries)}</span>
          {data === undefined ? null : <Freshness plan={data} />}
        </p>
      </div>
      <QueryState query={drift} subject="the drift" lines={8}>
        {(plan) => <Inbox key={plan.estate} plan={plan} entries={entries ?? []} />}
      </QueryState>
    </>
  );
}

const Freshness = ({ plan: { observed } }: { readonly plan: Plan }) =>
  observed.at === undefined ? (
    <> · not observed yet</>
  ) : (
    <>
      {' '}
      · observed <When at={observed.at} />
    </>
  );

interface InboxProps {
  readonly plan: Plan;
  readonly entries: readonly DriftEntry[];
}

/** More rows come by a button, or with the keys: rows that are open have any height, so nothing here is virtual. */
const rowsAtOnce = 200;

function Inbox({ plan, entries }: InboxProps) {
  const search = useSearch({ from: '/drift' });
  const navigate = useNavigate({ from: '/drift' });
  const change = (changed: DriftSearch): void => {
    void navigate({ search: (before) => ({ ...before, ...changed }), replace: true, resetScroll: false });
  };
  const grouping = groupingOf(search.group);
  const opened = new Set(search.open?.split('\n') ?? []);
  const { list, waiting, hold, showWaiting, reach, isFocusLost } = useSteadyList(entries);
  const [text, setText] = useState(search.q ?? '');
  const [most, setMost] = useState(rowsAtOnce);
  const rows = useMemo(() => list.filter(({ placed }) => matches(placed, text)), [list, text]);
  const groups = useMemo(() => grouped(rows, grouping, placeOf), [rows, grouping]);
  const flat = useMemo(() => groups.flatMap(({ parts }) => parts.flatMap((part) => part.entries)), [groups]);
  const filter = useRef<HTMLInputElement>(null);
  const toggle = (key: string): void => {
    const next = opened.has(key) ? [...opened].filter((one) => one !== key) : [...opened, key].slice(-mostOpen);
    change({ open: next.join('\n') || undefined });
  };
  const open = (entry: DriftEntry): void => {
    const of = resourceOf(entry);
    if (of !== undefined) void navigate({ to: '/resource', search: { estate: plan.estate, of } });
  };
  const nextGrouping = (): void => {
    const next = groupings[(groupings.indexOf(grouping) + 1) % groupings.length];
    change({ group: next === 'cause' ? undefined : next });
  };
  const keys = useDriftKeys({
    flat,
    opened,
    toggle,
    open,
    nextGrouping,
    filter,
    reveal: (at) => setMost((n) => Math.max(n, at + 1)),
    reach,
    isFocusLost,
  });
  const showMore = (): void => {
    setMost(most + rowsAtOnce);
    // why: the button goes away with the last rows
    keys.focus(most);
  };
  return (
    <>
      <Unknown plan={plan} />
      {list.length === 0 && waiting === 0 ? (
        <NothingDiffers plan={plan} />
      ) : (
        <>
          <Tools
            input={filter}
            q={search.q}
            onText={setText}
            change={change}
            grouping={grouping}
            enterList={() => keys.focus(0)}
          />
          {rows.length === 0 ? (
            <Notice title="No difference matches">
              <p>The filter is: {text}. Escape in the filter clears it.</p>
            </Notice>
          ) : null}
          {/* biome-ignore lint/a11y/noStaticElementInteractions: the keys of its rows bubble to here */}
          <div className="drift" onKeyDown={keys.onKeyDown} {...hold}>
            {waiting === 0 ? null : (
              <button type="button" className="button drift-new" onClick={showWaiting}>
                {waiting} new {waiting === 1 ? 'difference' : 'differences'}: show
              </button>
            )}
            {groups.map((group) => (
              <DriftGroup key={group.name} group={group}>
                {(shown) => {
                  const index = flat.indexOf(shown);
                  const { key } = shown.entry;
                  if (index >= most) return null;
                  return (
                    <DriftRow
                      key={key}
                      {...{ shown, index, estate: plan.estate }}
                      isActive={index === keys.active}
                      isOpen={opened.has(key)}
                      toggle={() => toggle(key)}
                      onFocus={() => keys.onFocus(key)}
                    />
                  );
                }}
              </DriftGroup>
            ))}
          </div>
          {flat.length > most ? (
            <button type="button" className="button" onClick={showMore}>
              Show {Math.min(rowsAtOnce, flat.length - most)} more of {flat.length}
            </button>
          ) : null}
          <p className="quiet small drift-keys">
            <kbd>j</kbd> <kbd>k</kbd> move · <kbd>Enter</kbd> opens a row · <kbd>o</kbd> goes to the resource ·{' '}
            <kbd>g</kbd> groups otherwise · <kbd>/</kbd> filters · <kbd>Esc</kbd> closes
          </p>
        </>
      )}
    </>
  );
}

/** Of open rows in the address: an address has its limits. */
const mostOpen = 20;

const placeOf = ({ placed }: Shown): DriftEntry => placed;

interface DriftGroupProps {
  readonly group: Group<Shown>;
  readonly children: (shown: Shown) => ReactNode;
}

function DriftGroup({ group: { name, entries, parts }, children }: DriftGroupProps) {
  const id = `drift-${name.toLowerCase().replace(/\W+/g, '-')}`;
  return (
    <section className="panel drift-group" aria-labelledby={id}>
      <header>
        <h2 id={id} className="drift-title">
          {name}
        </h2>
        <p className="aside number">{entries.length}</p>
      </header>
      {parts.map((part) => (
        <div key={part.name}>
          <h3 className="drift-part">{part.name}</h3>
          <ul>{part.entries.map(children)}</ul>
        </div>
      ))}
    </section>
  );
}

interface ToolsProps {
  readonly input: RefObject<HTMLInputElement | null>;
  readonly q: string | undefined;
  readonly grouping: Grouping;
  onText(text: string): void;
  change(changed: DriftSearch): void;
  enterList(): void;
}

const typingMs = 250;

function Tools({ input, q = '', grouping, onText, change, enterList }: ToolsProps) {
  const [typed, setTyped] = useState(q);
  const sent = useRef(q);
  const timer = useRef<number>(undefined);
  const show = (text: string): void => {
    setTyped(text);
    onText(text.trim());
  };
  useEffect(() => {
    // why: the person may type on while the address takes over their text
    if (q === sent.current) return;
    sent.current = q;
    window.clearTimeout(timer.current);
    setTyped(q);
    onText(q);
  }, [q, onText]);
  useEffect(() => () => window.clearTimeout(timer.current), []);
  const type = (text: string): void => {
    show(text);
    window.clearTimeout(timer.current);
    timer.current = window.setTimeout(() => {
      sent.current = text.trim();
      change({ q: sent.current || undefined });
    }, typingMs);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape' && typed !== '') type('');
    else if (!['Escape', 'Enter', 'ArrowDown'].includes(event.key)) return;
    else enterList();
    event.preventDefault();
  };
  return (
    <search className="filters">
      <label className="field field-q">
        <span>Filter</span>
        <input
          ref={input}
          type="search"
          value={typed}
          placeholder="Name, field, author, owner, scope"
          spellCheck={false}
          autoComplete="off"
          onChange={({ target: { value } }) => type(value)}
          onKeyDown={onKeyDown}
        />
      </label>
      <fieldset className="drift-grouping">
        <legend className="field-label">Group by</legend>
        {groupings.map((one) => (
          <button
            key={one}
            type="button"
            className="chip tone-busy"
            aria-pressed={one === grouping}
            onClick={() => change({ group: one === 'cause' ? undefined : one })}
          >
            {one}
          </button>
        ))}
      </fieldset>
    </search>
  );
}

/** The places where Setpoint cannot tell. */
function Unknown({ plan }: { readonly plan: Plan }) {
  const places = unknownPlaces(plan);
  const scopes = new Set(places.map(({ scope }) => scope)).size;
  const doubts = plan.effect?.gaps ?? [];
  return (
    <>
      {scopes === 0 ? null : (
        <Notice tone="attention" title={`Drift is unknown in ${scopes} ${scopes === 1 ? 'scope' : 'scopes'}`}>
          <ul>
            {places.map(({ scope, reason }) => (
              <li key={`${scope} ${reason}`}>
                <span className="code">{scope}</span>: {reason}
              </li>
            ))}
          </ul>
        </Notice>
      )}
      {doubts.length === 0 ? null : (
        <p className="quiet small">Effects on traffic may be incomplete: {doubts.join('; ')}.</p>
      )}
      {plan.effect === undefined && plan.actions.length > 0 ? (
        <p className="quiet small">
          Effects on traffic need a grant for all of the estate: they name machines of all owners.
        </p>
      ) : null}
    </>
  );
}

function NothingDiffers({ plan }: { readonly plan: Plan }) {
  const { observed, scopes } = plan;
  // why: after midnight the time alone would be of another day
  const now = useTick();
  const isKnown = unknownPlaces(plan).length === 0 && observed.complete;
  const count = scopes.length === 1 ? '1 scope' : `all ${scopes.length} scopes`;
  return (
    <Notice tone={isKnown ? 'well' : 'attention'} title={nothingText(plan, now)}>
      <p>{isKnown ? `Setpoint observed ${count} completely.` : 'Elsewhere drift is unknown, not absent.'}</p>
    </Notice>
  );
}
