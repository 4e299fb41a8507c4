import { Link } from '@tanstack/react-router';
import { type SubmitEvent, useEffect, useRef, useState } from 'react';
import type { Filter } from './filter.ts';
import { isSame, readViews, renamed, searchOf, type View, withDefault, withView, writeViews } from './views.ts';

type ChangeViews = (views: readonly View[]) => readonly View[];

interface SavedViewsProps {
  readonly filter: Filter;
  show(search: Filter): void;
}

/** The views of this browser. A colleague gets one as its address. */
export function SavedViews({ filter, show }: SavedViewsProps) {
  const { estate } = filter;
  const [views, setViews] = useState(() => readViews(estate));
  const [isEditing, setEditing] = useState(false);
  const [isKept, setKept] = useState(true);
  useEffect(() => {
    const read = (): void => setViews(readViews(estate));
    read();
    // why: another tab of this browser has changed them
    window.addEventListener('storage', read);
    return () => window.removeEventListener('storage', read);
  }, [estate]);
  useBeginning(filter, views, show);
  const keep = (change: ChangeViews): void => {
    const next = change(isKept ? readViews(estate) : views);
    setViews(next);
    setKept(writeViews(estate, next));
  };
  const shown = views.find(({ search }) => isSame(search, filter));
  return (
    <section className="views" aria-label="Saved views">
      {views.length === 0 ? null : (
        <ul>
          {views.map((view) => (
            <li key={view.name}>
              <Link
                to="/inventory"
                search={{ ...view.search, estate }}
                activeOptions={{ exact: true, explicitUndefined: true }}
                className={view === shown ? 'is-shown' : undefined}
                aria-current={view === shown ? 'true' : undefined}
              >
                {view.name}
              </Link>
              {view.isDefault ? <span className="quiet">default</span> : null}
              {isEditing ? <ViewEditor view={view} views={views} keep={keep} /> : null}
            </li>
          ))}
        </ul>
      )}
      {shown === undefined && Object.keys(searchOf(filter)).length > 0 ? (
        <NameForm
          label="Name of a new view"
          action="Save view"
          save={(name) => keep((all) => withView(all, { name, search: searchOf(filter) }))}
        />
      ) : null}
      {views.length === 0 ? null : (
        <button type="button" className="button" aria-expanded={isEditing} onClick={() => setEditing(!isEditing)}>
          {isEditing ? 'Done' : 'Edit views'}
        </button>
      )}
      {isKept ? null : <p role="alert">This browser keeps no views: allow this site to store data.</p>}
    </section>
  );
}

/** An inventory that opens without a filter begins with the default view. */
function useBeginning(filter: Filter, views: readonly View[], show: (search: Filter) => void): void {
  const isBegun = useRef(false);
  useEffect(() => {
    if (isBegun.current) return;
    isBegun.current = true;
    const view = views.find(({ isDefault }) => isDefault);
    if (view !== undefined && Object.keys(searchOf(filter)).length === 0)
      show({ ...view.search, ...(filter.estate === undefined ? {} : { estate: filter.estate }) });
  });
}

interface ViewEditorProps {
  readonly view: View;
  readonly views: readonly View[];
  keep(change: ChangeViews): void;
}

const ViewEditor = ({ view, views, keep }: ViewEditorProps) => (
  <>
    <NameForm
      label={`New name of ${view.name}`}
      action={`Rename ${view.name}`}
      taken={views.map(({ name }) => name)}
      save={(name) => keep((all) => renamed(all, view.name, name))}
    />
    <button
      type="button"
      className="button"
      aria-pressed={view.isDefault}
      onClick={() => keep((all) => withDefault(all, view.name))}
    >
      Begin with {view.name}
    </button>
    <button
      type="button"
      className="button"
      onClick={() => keep((all) => all.filter(({ name }) => name !== view.name))}
    >
      Remove {view.name}
    </button>
  </>
);

interface NameFormProps {
  readonly label: string;
  readonly action: string;
  /** Names that other views have. A new view replaces one of its name, so none is taken for it. */
  readonly taken?: readonly string[];
  save(name: string): void;
}

const longestName = 60;

function NameForm({ label, action, taken = [], save }: NameFormProps) {
  const [name, setName] = useState('');
  const isTaken = taken.includes(name.trim());
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    if (name.trim() === '' || isTaken) return;
    save(name.trim());
    setName('');
  };
  return (
    <form onSubmit={submit}>
      <input
        aria-label={label}
        placeholder={label}
        value={name}
        maxLength={longestName}
        autoComplete="off"
        onChange={({ target }) => setName(target.value)}
      />
      <button type="submit" className="button">
        {action}
      </button>
      {isTaken ? <span role="alert">Another view has this name: choose a new one.</span> : null}
    </form>
  );
}
