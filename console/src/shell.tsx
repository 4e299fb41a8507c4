import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, Outlet, useRouterState } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { Toasts } from './actions/toasts.tsx';
import type { Identity } from './api.d.ts';
import { Notice, Title, When } from './components.tsx';
import { ChooseEstate, EstatePicker, useEstate, useMustChoose } from './estates.tsx';
import { useKeptFocus } from './focus.ts';
import { follow, useLive } from './live.ts';
import { driftCount, whoami } from './queries.ts';
import { isForbidden, QueryState } from './query-state.tsx';
import { renew } from './renewal.ts';
import { Account, Mark, SignIn } from './session.tsx';

/** Nothing of an estate shows before the API says who asks. */
export function Shell() {
  const me = useQuery(whoami);
  const wasSignedIn = useRef(false);
  if (me.data) wasSignedIn.current = true;
  if (me.data === null) return <SignIn ended={wasSignedIn.current} />;
  const forget = (): void => {
    wasSignedIn.current = false;
  };
  // why: another person needs another stream of events
  if (me.data !== undefined) return <SignedIn key={me.data.actor} identity={me.data} onSignOut={forget} />;
  return (
    <main className="page" id="content">
      <h1 className="hidden">Setpoint</h1>
      <QueryState query={me} subject="the console">
        {() => null}
      </QueryState>
    </main>
  );
}

interface SignedInProps {
  readonly identity: Identity;
  onSignOut(): void;
}

function SignedIn({ identity, onSignOut }: SignedInProps) {
  const queryClient = useQueryClient();
  const estate = useEstate();
  useFocusOnNavigation();
  useKeptFocus();
  useVisibleScreenLink();
  useEffect(() => follow(queryClient), [queryClient]);
  return (
    <>
      <a className="skip" href="#content">
        Skip to the content
      </a>
      <header className="top">
        <Link to="/" search={{ estate }} className="brand" aria-label="Setpoint, overview">
          <Mark />
          <span>Setpoint</span>
        </Link>
        <nav aria-label="Screens">
          <Link to="/" search={{ estate }} activeOptions={{ exact: true, includeSearch: false }}>
            Overview
          </Link>
          <Link to="/inventory" search={{ estate }} activeOptions={{ includeSearch: false }}>
            Inventory
          </Link>
          <DriftLink estate={estate} />
          <Link to="/approvals" search={{ estate }} activeOptions={{ includeSearch: false }}>
            Approvals
          </Link>
          <Link to="/map" search={{ estate }} activeOptions={{ includeSearch: false }}>
            Map
          </Link>
          <Link to="/ledger" search={{ estate }} activeOptions={{ includeSearch: false }}>
            Ledger
          </Link>
          <Link to="/fleet" search={{ estate }} activeOptions={{ includeSearch: false }}>
            Fleet
          </Link>
        </nav>
        <EstatePicker estates={identity.estates} />
        <LiveMark />
        <Account identity={identity} onSignOut={onSignOut} />
      </header>
      <ConnectionLost />
      <Toasts />
      <main className="page" id="content" tabIndex={-1} aria-labelledby="title">
        <Content identity={identity} />
      </main>
    </>
  );
}

/** The screen, if the person may see it and has chosen its estate. */
function Content({ identity: { actor, grants, estates } }: Pick<SignedInProps, 'identity'>) {
  const mustChoose = useMustChoose({ estates });
  if (grants.length === 0)
    return (
      <>
        <Title>No grant</Title>
        <Notice tone="attention" title="You are signed in, and you may see nothing yet">
          <p>Ask an admin of Setpoint for a grant, and give them the name {actor}.</p>
        </Notice>
      </>
    );
  return mustChoose ? <ChooseEstate estates={estates} /> : <Outlet />;
}

/** With the number of resources that drifted. */
function DriftLink({ estate }: { readonly estate: string | undefined }) {
  const { data = 0, error } = useQuery(driftCount(estate));
  // why: the grants may have shrunk
  const text = data === 0 || isForbidden(error) ? '' : data.toLocaleString('en');
  // biome-ignore lint/correctness/useExhaustiveDependencies: the number makes its link wider, which moves the others
  useEffect(showScreenLink, [text]);
  return (
    <Link to="/drift" search={{ estate }} activeOptions={{ includeSearch: false }}>
      Drift
      {text === '' ? null : (
        <>
          {' '}
          <span className="nav-count number">
            {text}
            <span className="hidden"> {text === '1' ? 'resource' : 'resources'}</span>
          </span>
        </>
      )}
    </Link>
  );
}

/** As a browser does with a new page: the keys and a screen reader go on at its beginning. A filter is no new page. */
function useFocusOnNavigation(): void {
  const place = useRouterState({ select: ({ location: { pathname, search } }) => `${pathname} ${search.of ?? ''}` });
  const shown = useRef(place);
  useEffect(() => {
    if (shown.current === place) return;
    shown.current = place;
    document.getElementById('content')?.focus({ preventScroll: true });
  }, [place]);
}

/** On a phone the links of the screens scroll: the one of this screen is in view. */
function useVisibleScreenLink(): void {
  const screen = useRouterState({ select: ({ location: { pathname } }) => pathname });
  const shown = useRef('');
  useEffect(() => {
    if (shown.current === screen) return;
    shown.current = screen;
    showScreenLink();
  }, [screen]);
}

/** Returns nothing: newer browsers answer a scroll with a promise, which an effect may not return. */
function showScreenLink(): void {
  document.querySelector('.top nav a.active')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
}

const liveWords = { live: 'Live', connecting: 'Connecting', lost: 'Not live' } as const;

function LiveMark() {
  const { state } = useLive();
  return (
    <span className={`live live-${state}`} role="status">
      <span className="dot" aria-hidden="true" />
      {liveWords[state]}
    </span>
  );
}

function ConnectionLost() {
  const { state, since } = useLive();
  const queryClient = useQueryClient();
  if (state !== 'lost') return null;
  return (
    <section className="lost" aria-label="Connection">
      <p>
        <span role="alert">
          <strong>Connection lost.</strong> The page can be stale.
        </span>{' '}
        It shows the state of <When at={new Date(since).toISOString()} /> or before. The console tries again by itself.
      </p>
      <button type="button" className="button" onClick={() => renew(queryClient, [])}>
        Ask now
      </button>
    </section>
  );
}
