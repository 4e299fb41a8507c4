import { Link } from '@tanstack/react-router';
import type { Ref } from 'react';
import type { MapEdge, MapNode, TrafficRule } from '../api.d.ts';
import { Panel, ResourceLink, Status } from '../components.tsx';
import { servicesText } from '../services.ts';
import type { MapSearch } from './address.ts';
import { edgeId, instancesText, kindText, trafficText, troubleText } from './words.ts';

export type Names = ReadonlyMap<string, MapNode>;

export const nameIn = (names: Names, id: string): string => names.get(id)?.name ?? id;

interface ChosenEdgeProps {
  readonly ref: Ref<HTMLElement>;
  readonly edge: MapEdge;
  readonly names: Names;
  readonly estate: string | undefined;
  close(): void;
}

/** The traffic of one edge, with the rules that allow it. */
export function ChosenEdge({ ref, edge, names, estate, close }: ChosenEdgeProps) {
  const { from, to, open, maybe, partial, rules, moreRules, reasons } = edge;
  return (
    <Panel ref={ref} title="Chosen traffic">
      <p className="map-pair">
        <strong>{nameIn(names, from)}</strong> → <strong>{from === to ? 'each other' : nameIn(names, to)}</strong>
      </p>
      {open.length === 0 ? null : <p>Passes: {servicesText(open)}</p>}
      {maybe.length === 0 ? null : <p>May pass: {servicesText(maybe)}</p>}
      {partial ? <p className="quiet small">Not all of it passes between each of their instances.</p> : null}
      {reasons.map((reason) => (
        <p key={reason} className="quiet small">
          Unknown, because {reason}
        </p>
      ))}
      <h3>Rules that allow it</h3>
      {rules.length === 0 ? <p className="quiet">None: a default of the cloud does.</p> : null}
      <ul className="lines">
        {rules.map((rule) => (
          <li key={`${rule.address} ${rule.name}`}>
            <RuleName rule={rule} estate={estate} />
            {rule.violates ? <div className="tone-attention ink small">It breaks a rule of a policy.</div> : null}
          </li>
        ))}
      </ul>
      {moreRules === 0 ? null : <p className="quiet small">And {moreRules} more rules.</p>}
      <button type="button" className="button" onClick={close}>
        Close
      </button>
    </Panel>
  );
}

interface RuleNameProps {
  readonly rule: TrafficRule;
  readonly estate: string | undefined;
}

/** A rule with its page, and with the ends that it lets through. */
export function RuleName({ rule: { address, name, document }, estate }: RuleNameProps) {
  // why: default rules of a cloud have no object, and rules outside of the grants no address
  if (address === '' || name.startsWith('the default rule')) return <span>{name}</span>;
  return (
    <>
      <ResourceLink estate={estate} resource={{ name, address, id: undefined }} />
      <div className="quiet small">
        <Link to="/map" search={{ estate, rule: address }}>
          Whom it reaches
        </Link>
        {document === undefined ? '' : ` · ${document.file}:${document.line}`}
      </div>
    </>
  );
}

interface ChosenNodeProps {
  readonly ref: Ref<HTMLElement>;
  readonly node: MapNode;
  readonly edges: readonly MapEdge[];
  readonly names: Names;
  readonly search: MapSearch;
  close(): void;
}

/** A place of the map, with the ways to see more of it. */
export function ChosenNode({ ref, node, edges, names, search: { estate, target }, close }: ChosenNodeProps) {
  const { kind, name, address, id } = node;
  const own = edges.filter(({ from, to }) => from === id || to === id);
  return (
    <Panel ref={ref} title="Chosen place">
      <p className="map-pair">
        <span className="quiet">{kindText(node)}</span>{' '}
        {address === undefined ? (
          <strong>{name}</strong>
        ) : (
          <ResourceLink estate={estate} resource={{ name, address, id: undefined }} />
        )}
      </p>
      <Facts node={node} />
      <ul className="lines">
        {own.slice(0, 8).map((edge) => (
          <li key={edgeId(edge)}>
            {nameIn(names, edge.from)} → {nameIn(names, edge.to)}: {trafficText(edge)}
          </li>
        ))}
      </ul>
      <div className="map-buttons">
        {focusOf(node) === undefined ? null : (
          <Link className="button" to="/map" search={{ estate, target, focus: focusOf(node) }}>
            Only its traffic
          </Link>
        )}
        {kind === 'network' && address !== undefined ? (
          <Link className="button" to="/map" search={{ estate, target, network: address }}>
            Only this network
          </Link>
        ) : null}
        <button type="button" className="button" onClick={close}>
          Close
        </button>
      </div>
    </Panel>
  );
}

/** The end of traffic that `/v1/map` takes for it. */
const focusOf = ({ kind, name, address }: MapNode): string | undefined =>
  kind === 'internet' || kind === 'block' ? name : address;

function Facts({ node }: { readonly node: MapNode }) {
  const { kind, cidrs, groups, instances, status, violations, exposedReason, unknown } = node;
  return (
    <>
      {status === undefined ? null : <Status status={status} />}
      {violations === 0 ? null : <p className="tone-attention ink">It breaks {violations} rules of policies.</p>}
      {cidrs.length === 0 ? null : <p className="code">{cidrs.join(', ')}</p>}
      {groups.length === 0 ? null : <p>Groups: {groups.join(', ')}</p>}
      {kind === 'instance' || instances === 0 ? null : <p>{instancesText(instances)}</p>}
      {kind === 'instance' || troubleText(node) === '' ? null : <p>{troubleText(node)}</p>}
      {exposedReason === undefined ? null : (
        <p className="quiet small">
          Exposed: {node.exposed}, {exposedReason}
        </p>
      )}
      {unknown.map((reason) => (
        <p key={reason} className="quiet small">
          It may have more edges, because {reason}
        </p>
      ))}
    </>
  );
}
