import { Link, useNavigate, useRouterState } from '@tanstack/react-router';
import { Title } from './components.tsx';

/** These show all estates together until one is chosen. */
const screensOfAll: ReadonlySet<string> = new Set(['/inventory', '/resource']);

interface EstatesProps {
  /** All that the person sees. */
  readonly estates: readonly string[];
}

/** The address holds the estate, and each link keeps it. Undefined: the person sees one, or has not chosen yet. */
export const useEstate = (): string | undefined =>
  useRouterState({ select: ({ location: { search } }) => search.estate });

const useScreen = (): string => useRouterState({ select: ({ location: { pathname } }) => pathname });

/** The screen needs an estate, and the person has not chosen one of several. */
export function useMustChoose({ estates }: EstatesProps): boolean {
  const [estate, screen] = [useEstate(), useScreen()];
  return estate === undefined && estates.length > 1 && !screensOfAll.has(screen);
}

/** At the top of each screen. Filters are of one estate, so the next one begins without them. */
export function EstatePicker({ estates }: EstatesProps) {
  const [estate, screen] = [useEstate() ?? '', useScreen()];
  const navigate = useNavigate();
  if (estates.length < 2) return null;
  const choose = (next: string): void => {
    const search = next === '' ? {} : { estate: next };
    if (screen === '/resource') void navigate({ to: '/inventory', search });
    else void navigate({ to: '.', search });
  };
  return (
    <select
      className="select estates"
      aria-label="Estate"
      value={estate}
      onChange={({ target }) => choose(target.value)}
    >
      {screensOfAll.has(screen) || estate === '' ? (
        <option value="">{screensOfAll.has(screen) ? 'All estates' : 'Choose an estate'}</option>
      ) : null}
      {[...new Set([...estates, ...(estate === '' ? [] : [estate])])].map((one) => (
        <option key={one} value={one}>
          {one}
        </option>
      ))}
    </select>
  );
}

/** In place of a screen that needs an estate. */
export const ChooseEstate = ({ estates }: EstatesProps) => (
  <>
    <Title>Choose an estate</Title>
    <p>You see more than one estate, and this screen is of one.</p>
    <ul className="lines">
      {estates.map((estate) => (
        <li key={estate}>
          <Link to="." search={(before) => ({ ...before, estate })}>
            {estate}
          </Link>
        </li>
      ))}
    </ul>
    <p>
      The <Link to="/inventory">inventory</Link> has all of them.
    </p>
  </>
);
