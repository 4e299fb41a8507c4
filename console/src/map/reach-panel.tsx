import { useQuery } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import type { Reach } from '../api.d.ts';
import type { ReachQuestion } from '../api-client.ts';
import { Panel } from '../components.tsx';
import * as queries from '../queries.ts';
import { QueryState } from '../query-state.tsx';
import { type MapSearch, reachQuestion } from './address.ts';
import { RuleName } from './selection-panels.tsx';
import { trafficText } from './words.ts';

interface ReachPanelProps {
  readonly search: MapSearch;
  change(changed: MapSearch): void;
}

const textOf = (form: FormData, name: string): string | undefined => {
  const value = form.get(name);
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
};

/** Can A reach B on a port? */
export function ReachPanel({ search, change }: ReachPanelProps) {
  const question = reachQuestion(search);
  const ask = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    change({ from: textOf(form, 'from'), to: textOf(form, 'to'), port: textOf(form, 'port') });
  };
  return (
    <Panel title="Can A reach B?">
      <form className="map-reach" onSubmit={ask} key={`${search.from} ${search.to} ${search.port}`}>
        <label className="field">
          <span>From</span>
          <input
            name="from"
            required
            defaultValue={search.from}
            placeholder="internet"
            spellCheck={false}
            autoComplete="off"
          />
        </label>
        <label className="field">
          <span>To</span>
          <input
            name="to"
            required
            defaultValue={search.to}
            placeholder="web-0, core.web"
            spellCheck={false}
            autoComplete="off"
          />
        </label>
        <label className="field">
          <span>On port</span>
          <input
            name="port"
            defaultValue={search.port}
            placeholder="5432, 53/udp; empty: all"
            spellCheck={false}
            autoComplete="off"
          />
        </label>
        <button type="submit" className="button primary">
          Ask
        </button>
      </form>
      {question === undefined ? null : <Answer question={question} estate={search.estate} />}
    </Panel>
  );
}

function Answer({ question, estate }: { readonly question: ReachQuestion; readonly estate: string | undefined }) {
  const reach = useQuery(queries.reach(question));
  return (
    <div aria-live="polite">
      <QueryState query={reach} subject="the answer" lines={3}>
        {(found) => <Verdict found={found} question={question} estate={estate} />}
      </QueryState>
    </div>
  );
}

const verdicts = {
  yes: { text: 'Yes', tone: 'busy' },
  no: { text: 'No', tone: 'quiet' },
  unknown: { text: 'Unknown', tone: 'attention' },
} as const;

interface VerdictProps {
  readonly found: Reach;
  readonly question: ReachQuestion;
  readonly estate: string | undefined;
}

function Verdict({ found: { answer, scopes }, question: { from, to, port }, estate }: VerdictProps) {
  const isPart = answer === 'yes' && scopes.some((one) => one.ways.some((way) => way.answer !== 'yes'));
  const { text, tone } = verdicts[answer];
  return (
    <>
      <p className={`map-verdict tone-${tone} ink`}>
        {isPart ? 'Yes, in part' : text}: {from} → {to}
        {port === undefined ? '' : ` on ${port}`}
      </p>
      {scopes.map(({ scope, ways, moreWays, notes, assumptions }) => (
        <section key={scope} aria-label={scope}>
          <h3 className="cut">{scope}</h3>
          <ul className="lines">
            {ways.slice(0, mostWays).map((way) => (
              <WayLine key={`${way.answer} ${way.from.join()} ${way.to.join()}`} way={way} estate={estate} />
            ))}
          </ul>
          {ways.length + moreWays > mostWays ? (
            <p className="quiet small">
              And {ways.length + moreWays - Math.min(ways.length, mostWays)} more: <code>setpoint reach --json</code>{' '}
              lists up to 500.
            </p>
          ) : null}
          {[...notes, ...assumptions.map((one) => `Assumed: ${one}.`)].map((note) => (
            <p key={note} className="quiet small">
              {note}
            </p>
          ))}
        </section>
      ))}
    </>
  );
}

const mostWays = 10;
const mostNames = 4;

function namesText(names: readonly string[], left: number): string {
  const more = Math.max(0, names.length - mostNames) + left;
  return `${names.slice(0, mostNames).join(', ')}${more === 0 ? '' : ` and ${more} more`}`;
}

type Way = Reach['scopes'][number]['ways'][number];

/** A no has the reasons that forbid it; a yes has all that let it through. */
function WayLine({ way, estate }: { readonly way: Way; readonly estate: string | undefined }) {
  const { answer, from, to, moreFrom, moreTo, steps } = way;
  const told = steps.filter((step) => answer !== 'no' || step.answer !== 'yes');
  return (
    <li>
      <strong>{verdicts[answer].text}</strong> {namesText(from, moreFrom)} → {namesText(to, moreTo)}
      {answer === 'no' ? '' : `: ${trafficText(way)}`}
      <ul className="map-steps">
        {told.map(({ by, reason, rules, moreRules }) => (
          <li key={`${by} ${reason}`}>
            {reason}
            {rules.length === 0 ? null : (
              <ul>
                {rules.map((rule) => (
                  <li key={`${rule.address} ${rule.name}`}>
                    <RuleName rule={rule} estate={estate} />
                  </li>
                ))}
                {moreRules === 0 ? null : <li>and {moreRules} more rules</li>}
              </ul>
            )}
          </li>
        ))}
      </ul>
    </li>
  );
}
