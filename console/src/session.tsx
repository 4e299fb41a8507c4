import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { HeldGrant, Identity } from './api.d.ts';
import { ApiError, signIn, signOut } from './api-client.ts';
import { Notice, When } from './components.tsx';

export function SignIn({ ended = false }: { readonly ended?: boolean }) {
  const queryClient = useQueryClient();
  const [token, setToken] = useState('');
  const attempt = useMutation({
    mutationFn: () => signIn(token.trim()),
    onSuccess: async () => {
      setToken('');
      forgetAnswers(queryClient);
      await queryClient.invalidateQueries({ queryKey: ['whoami'] });
    },
  });
  useEffect(() => {
    document.title = 'Sign in · Setpoint';
  }, []);
  return (
    <main className="sign-in">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          attempt.mutate();
        }}
      >
        <h1>
          <Mark />
          Setpoint
        </h1>
        {ended ? <Notice tone="attention" title="Your session ended. Sign in again." /> : null}
        <label htmlFor="token">Token</label>
        <input
          id="token"
          name="token"
          type="password"
          autoComplete="off"
          spellCheck={false}
          required
          // biome-ignore lint/a11y/noAutofocus: it is the only field of the page
          autoFocus
          value={token}
          aria-describedby="token-help"
          aria-invalid={attempt.isError}
          onChange={(event) => setToken(event.target.value)}
        />
        <p id="token-help" className="help">
          It begins with <code>setpoint_</code>. An admin makes one with <code>setpoint token make</code>. The browser
          keeps it in a cookie that no script can read.
        </p>
        {attempt.isError ? <Notice tone="wrong" title={refusalOf(attempt.error)} /> : null}
        <button type="submit" className="button primary" disabled={attempt.isPending}>
          {attempt.isPending ? 'Signing in…' : 'Sign in'}
        </button>
      </form>
    </main>
  );
}

/** The answers to one person are none for the next. */
const forgetAnswers = (queryClient: QueryClient): void =>
  queryClient.removeQueries({ predicate: ({ queryKey: [word] }) => word !== 'whoami' });

function refusalOf(error: unknown): string {
  const isRefused = error instanceof ApiError && (error.status === 401 || error.status === 400);
  return isRefused ? 'This token is not valid: it is mistyped, expired or revoked.' : failureOf(error);
}

const failureOf = (error: unknown): string =>
  error instanceof ApiError ? `${error.title}. ${error.message}` : String(error);

export const Mark = () => (
  <svg className="mark" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
    <path d="M4 21h7l5-11 5 11h7" />
    <circle cx="16" cy="10" r="3.4" />
  </svg>
);

interface AccountProps {
  readonly identity: Identity;
  /** The person ends the session: then it did not end by itself. */
  onSignOut(): void;
}

/** The identity, the cover of its grants, and the way out. */
export function Account({ identity, onSignOut }: AccountProps) {
  const queryClient = useQueryClient();
  const leave = useMutation({
    mutationFn: signOut,
    onSuccess: () => {
      onSignOut();
      queryClient.setQueryData(['whoami'], null);
      forgetAnswers(queryClient);
    },
  });
  const { actor, grants, expiresAt } = identity;
  return (
    <div>
      <button type="button" className="account-button" popoverTarget="account" aria-label={`Account: ${actor}`}>
        <span className="cut">{actor}</span>
        <span aria-hidden="true">▾</span>
      </button>
      <section id="account" popover="auto" className="popup account" aria-label="Account">
        <p className="popup-title">{actor}</p>
        {grants.map((grant) => (
          <p key={JSON.stringify(grant)}>{grantText(grant)}</p>
        ))}
        {grants.length === 0 ? <p>You have no grant: ask an admin for one.</p> : null}
        {expiresAt === undefined ? null : (
          <p className="quiet">
            The credential ends <When at={expiresAt} />
          </p>
        )}
        {leave.isError ? <Notice tone="wrong" title={`You are still signed in. ${failureOf(leave.error)}`} /> : null}
        <button type="button" className="button" disabled={leave.isPending} onClick={() => leave.mutate()}>
          Sign out
        </button>
      </section>
    </div>
  );
}

function grantText({ role, estates, targets, owners }: HeldGrant): string {
  const bounds = [
    estates === undefined ? 'all estates' : `estates ${estates.join(', ')}`,
    targets === undefined ? [] : `targets ${targets.join(', ')}`,
    owners === undefined ? [] : `owners ${owners.map((one) => one || '(none)').join(', ')}`,
  ];
  return `${role} of ${bounds.flat().join('; ')}`;
}
