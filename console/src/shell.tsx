import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, Outlet } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import type { Identity } from './api.d.ts';
import { Failure, Loading, Notice, When } from './components.tsx';
import { follow, renew, useLive } from './live.ts';
import { whoami } from './queries.ts';
import { Account, Mark, SignIn } from './session.tsx';

/** Nothing of an estate shows before the API says who asks. */
export function Shell() {
  const me = useQuery(whoami);
  const wasSignedIn = useRef(false);
  if (me.data) wasSignedIn.current = true;
  if (me.data === null) return <SignIn ended={wasSignedIn.current} />;
  if (me.data !== undefined) return <SignedIn identity={me.data} />;
  return (
    <main className="page" id="content">
      <h1 className="hidden">Setpoint</h1>
      {me.isError ? <Failure error={me.error} what="the console" again={me.refetch} /> : <Loading what="the console" />}
    </main>
  );
}

function SignedIn({ identity }: { readonly identity: Identity }) {
  const queryClient = useQueryClient();
  const { actor } = identity;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another person needs another stream
  useEffect(() => follow(queryClient), [queryClient, actor]);
  return (
    <>
      <a className="skip" href="#content">
        Skip to the content
      </a>
      <header className="top">
        <Link to="/" className="brand" aria-label="Setpoint, overview">
          <Mark />
          <span>Setpoint</span>
        </Link>
        <nav aria-label="Screens">
          <Link to="/" activeOptions={{ exact: true, includeSearch: false }}>
            Overview
          </Link>
          <Link to="/inventory" activeOptions={{ includeSearch: false }}>
            Inventory
          </Link>
        </nav>
        <LiveMark />
        <Account identity={identity} />
      </header>
      <ConnectionLost />
      <main className="page" id="content" tabIndex={-1}>
        {identity.grants.length === 0 ? (
          <>
            <h1>No grant</h1>
            <Notice tone="attention" title="You are signed in, and you may see nothing yet">
              <p>Ask an admin of Setpoint for a grant, and give them the name {actor}.</p>
            </Notice>
          </>
        ) : (
          <Outlet />
        )}
      </main>
    </>
  );
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
    <div className="lost" role="alert">
      <p>
        <strong>Connection lost.</strong> What you see can be stale: it is from{' '}
        <When at={new Date(since).toISOString()} /> or before. The console tries again by itself.
      </p>
      <button type="button" className="button" onClick={() => void renew(queryClient, [])}>
        Ask now
      </button>
    </div>
  );
}
