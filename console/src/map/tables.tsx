import type { MapEdge, MapNode } from '../api.d.ts';
import { ResourceLink, Status, Table } from '../components.tsx';
import { type Names, nameIn } from './selection-panels.tsx';
import { edgeId, kindText, trafficText, troubleText } from './words.ts';

interface TrafficTableProps {
  readonly edges: readonly MapEdge[];
  readonly names: Names;
  readonly chosen: string | undefined;
  choose(id: string): void;
}

/** The edges of the drawing, for keys and for screen readers. */
export function TrafficTable({ edges, names, chosen, choose }: TrafficTableProps) {
  if (edges.length === 0)
    return <p className="quiet empty">No traffic passes between these places, as far as Setpoint knows.</p>;
  return (
    <Table name="Traffic" className="map-table" columns={['From', 'To', 'Traffic', 'Answer', 'Rules']}>
      {edges.map((edge) => {
        const id = edgeId(edge);
        const { from, to, answer, partial, rules, moreRules } = edge;
        const sink = from === to ? 'each other' : nameIn(names, to);
        return (
          <tr key={id} className={id === chosen ? 'is-chosen' : undefined}>
            <td>{nameIn(names, from)}</td>
            <td>{sink}</td>
            <td>
              {trafficText(edge)}
              {partial ? <span className="quiet"> (in part)</span> : null}
            </td>
            <td className={edge.fromInternet ? 'tone-wrong ink' : undefined}>{answer}</td>
            <td>
              <button type="button" className="button" aria-pressed={id === chosen} onClick={() => choose(id)}>
                {rulesText(rules.length + moreRules)}
                <span className="hidden">
                  {' '}
                  of {nameIn(names, from)} to {sink}
                </span>
              </button>
            </td>
          </tr>
        );
      })}
    </Table>
  );
}

function rulesText(count: number): string {
  if (count === 0) return 'Default';
  return count === 1 ? '1 rule' : `${count} rules`;
}

interface PlacesTableProps {
  readonly nodes: readonly MapNode[];
  readonly names: Names;
  readonly estate: string | undefined;
  choose(id: string): void;
}

/** The nodes of the drawing. */
export const PlacesTable = ({ nodes, names, estate, choose }: PlacesTableProps) => (
  <Table
    name="Places"
    className="map-table"
    columns={['Place', 'Kind', 'In', { title: 'Instances', isNumber: true }, 'Trouble', 'Details']}
  >
    {nodes.map((node) => {
      const { id, name, address, parent, instances, status } = node;
      return (
        <tr key={id}>
          <th scope="row">
            {address === undefined ? (
              name
            ) : (
              <ResourceLink estate={estate} resource={{ name, address, id: undefined }} />
            )}
          </th>
          <td>{kindText(node)}</td>
          <td>{parent === undefined ? '' : nameIn(names, parent)}</td>
          <td className="right number">{instances}</td>
          <td>
            {status === undefined ? null : <Status status={status} />} {troubleText(node)}
          </td>
          <td>
            <button type="button" className="button" onClick={() => choose(id)}>
              Show<span className="hidden"> {name}</span>
            </button>
          </td>
        </tr>
      );
    })}
  </Table>
);
