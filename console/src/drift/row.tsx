import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ResourceActions } from '../actions/resource-actions.tsx';
import { ResourceNotes } from '../actions/resource-notes.tsx';
import type { LastModifiedBy } from '../api.d.ts';
import { Glyph, statusLooks, Table, When } from '../components.tsx';
import { type Difference, type DriftEntry, dangerOfLine } from './entries.ts';
import type { Shown } from './steady-list.ts';
import { exposureText, fateWords, summaryText, trafficBadge, trafficText } from './words.ts';

interface RowProps {
  readonly shown: Shown;
  readonly estate: string;
  readonly index: number;
  readonly isActive: boolean;
  readonly isOpen: boolean;
  toggle(): void;
  onFocus(): void;
}

/** One line that opens in place. The line alone is in the tab order, and of all lines one. */
export function DriftRow({ shown: { entry, healedAt }, estate, index, isActive, isOpen, toggle, onFocus }: RowProps) {
  const { name, kind, author, criticality } = entry;
  const badge = trafficBadge(entry);
  const detail = `drift-detail-${index}`;
  return (
    <li className={healedAt === undefined ? 'drift-row' : 'drift-row is-healed'}>
      <button
        type="button"
        className="drift-line"
        data-row={index}
        tabIndex={isActive ? 0 : -1}
        aria-expanded={isOpen}
        aria-controls={isOpen ? detail : undefined}
        onClick={toggle}
        onFocus={onFocus}
      >
        <span className="drift-arrow" aria-hidden="true">
          {isOpen ? '▾' : '▸'}
        </span>
        <span className="drift-name">
          <strong>{name}</strong> <span className="quiet">{kind}</span>
          {criticality === 'critical' || criticality === 'high' ? <span className="tag">{criticality}</span> : null}
          {entry.assignment === undefined ? null : <span className="tag">{shortActor(entry.assignment.actor)}</span>}
        </span>
        <span className="drift-summary">{summaryText(entry)}</span>
        <span className="drift-traffic">
          {badge === undefined ? null : <span className={`tag tone-${badge.tone}`}>{badge.text}</span>}
        </span>
        <FateWord entry={entry} isHealed={healedAt !== undefined} />
        <span className="drift-author quiet">
          {author === undefined ? '' : shortActor(author.actor)} {author === undefined ? null : <When at={author.at} />}
        </span>
      </button>
      {isOpen ? <Detail id={detail} entry={entry} estate={estate} /> : null}
    </li>
  );
}

function FateWord({ entry, isHealed }: { readonly entry: DriftEntry; readonly isHealed: boolean }) {
  if (isHealed)
    return (
      <span className="drift-fate tone-well ink">
        <Glyph strokes={statusLooks.InSync.strokes} /> Healed
      </span>
    );
  const { short, tone } = fateWords(entry.fate);
  return <span className={`drift-fate tone-${tone} ink`}>{short}</span>;
}

/** `user/bob` of an ARN; another name as it is. */
const shortActor = (actor: string): string =>
  actor.startsWith('arn:') ? actor.slice(actor.lastIndexOf(':') + 1) : actor;

interface DetailProps {
  readonly id: string;
  readonly entry: DriftEntry;
  readonly estate: string;
}

function Detail({ id, entry, estate }: DetailProps) {
  const { name, address, differences, traffic, fate, scope, owners, documents, criticality, cause, waitsUntil } = entry;
  const { short, long } = fateWords(fate);
  const of = resourceOf(entry);
  return (
    <div id={id} className="drift-detail">
      {traffic.length === 0 ? null : (
        <ul className="drift-effect" aria-label="Effect on traffic">
          {traffic.map((line) => (
            <li key={JSON.stringify(line)} className={dangerOfLine(line) <= 1 ? 'tone-wrong' : 'tone-attention'}>
              <span className="ink">{trafficText(line)}</span>
              <span className="quiet">
                {' '}
                {[exposureText(line.traffic), ...(line.reasons ?? [])].filter(Boolean).join(' · ')}
              </span>
            </li>
          ))}
        </ul>
      )}
      <Fields name={name} differences={differences} />
      <dl className="facts">
        <Fact name="Changed by">
          {entry.author === undefined ? 'No event of the cloud names the author' : <Author by={entry.author} />}
        </Fact>
        <Fact name="Next">
          {fate.type === 'healed' ? null : <strong>{short}. </strong>}
          {long}
          {waitsUntil === undefined ? null : (
            <>
              {' '}
              Others undo the healing again and again, so workers wait until <When at={waitsUntil} />.
            </>
          )}
        </Fact>
        <Fact name="Owner">{owners.length === 0 ? '–' : owners.join(', ')}</Fact>
        <Fact name="Scope">{scope}</Fact>
        {documents.length === 0 ? null : <Fact name="Document">{documents.join(', ')}</Fact>}
        {criticality === undefined ? null : <Fact name="Criticality">{criticality}</Fact>}
        {address === undefined ? null : <Fact name="Address">{address}</Fact>}
        {cause === 'unstated' && entry.id !== undefined ? <Fact name="Id">{entry.id}</Fact> : null}
      </dl>
      {address === undefined ? null : (
        <ResourceNotes
          estate={estate}
          address={address}
          targets="any"
          owners={owners}
          assignment={entry.assignment}
          comments={entry.comments ?? []}
        />
      )}
      <ResourceActions
        estate={estate}
        scope={scope}
        address={address}
        owners={owners}
        document={entry.document}
        isHealed={fate.type === 'healed'}
        isWithheld={fate.type === 'withheld'}
      />
      {of === undefined ? null : (
        <p>
          <Link to="/resource" search={{ estate, of }}>
            Open {name}
          </Link>
        </p>
      )}
    </div>
  );
}

interface FieldsProps {
  readonly name: string;
  readonly differences: readonly Difference[];
}

/** Without the column of a side that has no field: of a resource that is missing, or that no document states. */
function Fields({ name, differences }: FieldsProps) {
  if (differences.length === 0) return null;
  const sides = (['desired', 'observed'] as const).filter((side) => differences.some((one) => one[side] !== undefined));
  return (
    <Table
      name={`Fields of ${name}`}
      className="sides drift-sides"
      columns={['Field', ...sides.map((side) => sideNames[side])]}
    >
      {differences.map((one) => (
        <tr key={one.field}>
          <th scope="row">{one.field}</th>
          {sides.map((side) => (
            <td key={side} data-name={sideNames[side]}>
              {one[side] ?? <span className="quiet">–</span>}
            </td>
          ))}
        </tr>
      ))}
    </Table>
  );
}

const sideNames = { desired: 'Desired', observed: 'Observed' } as const;

/** Several objects may have the address of a duplicate: its id is certain. */
export const resourceOf = ({ cause, address, id }: DriftEntry): string | undefined =>
  cause === 'duplicate' || cause === 'reappeared' ? (id ?? address) : (address ?? id);

const Fact = ({ name, children }: { readonly name: string; readonly children: ReactNode }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

function Author({ by: { actor, action, from, agent, at, event } }: { readonly by: LastModifiedBy }) {
  return (
    <>
      {actor}: {action} <When at={at} />
      <div className="quiet small">
        {[from && `from ${from}`, agent && `with ${agent}`, `event ${event}`].filter(Boolean).join(' · ')}
      </div>
    </>
  );
}
