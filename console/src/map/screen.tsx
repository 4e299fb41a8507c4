import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, type Ref, useDeferredValue, useEffect, useMemo, useRef } from 'react';
import type { MapEdge, MapNode, TrafficMap } from '../api.d.ts';
import { Notice, Panel, Title, When } from '../components.tsx';
import * as queries from '../queries.ts';
import { isForbidden, Loading, type QueryLike, QueryState } from '../query-state.tsx';
import { type MapSearch, mapFilter, narrowing, narrowingKeys } from './address.ts';
import { Canvas } from './canvas.tsx';
import { ReachPanel } from './reach-panel.tsx';
import { ChosenEdge, ChosenNode, type Names } from './selection-panels.tsx';
import { PlacesTable, TrafficTable } from './tables.tsx';
import { edgeId } from './words.ts';
import '../styles/map.css';

export function MapScreen() {
  const search = useSearch({ from: '/map' });
  const map = useQuery(queries.map(mapFilter(search)));
  const change = useChange();
  const shown = useShownMap(map, search);
  const { panel, drawing, choose, close } = useChoice(change);
  return (
    <>
      <Title className="hidden">Map</Title>
      <Narrowing search={search} />
      <div className="map">
        <div className="map-main">
          <QueryState query={map} subject="the map" lines={8} empty={(found) => emptyText(found, search)}>
            {(found) => (
              <>
                <Caveats map={found} search={search} />
                {shown === undefined ? null : (
                  <section ref={drawing} tabIndex={-1} className="panel map-drawing" aria-label="Drawing">
                    <Canvas
                      // why: another map begins with a view of all of it
                      key={JSON.stringify(mapFilter(search))}
                      nodes={shown.nodes}
                      edges={shown.edges}
                      chosen={{ edge: search.edge, node: search.node }}
                      chooseEdge={(edge) => choose({ edge })}
                      chooseNode={(node) => choose({ node })}
                    />
                    <Legend />
                    <OutEdges search={search} count={shown.outCount} change={change} />
                  </section>
                )}
              </>
            )}
          </QueryState>
        </div>
        <div className="map-side">
          {shown === undefined ? null : <Chosen ref={panel} shown={shown} search={search} close={close} />}
          {/* why: the map can fail, and a question and its answer stay */}
          <ReachPanel search={search} change={change} />
        </div>
      </div>
      {shown === undefined ? null : <Tables shown={shown} search={search} choose={choose} />}
    </>
  );
}

interface ShownMap {
  readonly nodes: readonly MapNode[];
  readonly edges: readonly MapEdge[];
  /** The edges out to the internet and to blocks, shown or not. */
  readonly outCount: number;
  readonly names: Names;
}

/** Undefined: there is none to draw. */
function useShownMap({ data, error }: QueryLike<TrafficMap>, search: MapSearch): ShownMap | undefined {
  const withOut = search.out !== undefined;
  const shown = useMemo(() => {
    if (data === undefined) return undefined;
    const [edges, outCount] = shownEdges(data, withOut);
    return { nodes: data.nodes, edges, outCount, names: new Map(data.nodes.map((node) => [node.id, node])) };
  }, [data, withOut]);
  const isShown = data !== undefined && !isForbidden(error) && emptyText(data, search) === undefined;
  return isShown ? shown : undefined;
}

/** The focus goes to the panel of what a person chooses, and back when they close it. */
function useChoice(change: (changed: MapSearch) => void) {
  const [panel, drawing] = [useRef<HTMLElement>(null), useRef<HTMLElement>(null)];
  const opener = useRef<Element>(null);
  const isNew = useRef(false);
  const choice = useSearch({ from: '/map', select: ({ edge, node }) => `${edge} ${node}` });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the panel of another choice
  useEffect(() => {
    if (isNew.current) panel.current?.focus();
    isNew.current = false;
  }, [choice, panel]);
  return {
    panel,
    drawing,
    choose: (chosen: MapSearch): void => {
      if (panel.current?.contains(document.activeElement) !== true) opener.current = document.activeElement;
      isNew.current = true;
      change({ ...nothingChosen, ...chosen });
    },
    close: (): void => {
      change(nothingChosen);
      const { current } = opener;
      const isThere = current instanceof HTMLElement && current !== document.body && current.isConnected;
      (isThere ? current : drawing.current)?.focus();
    },
  };
}

/** Changes a part of the address: what is undefined goes. */
function useChange(): (changed: MapSearch) => void {
  const navigate = useNavigate({ from: '/map' });
  return (changed) =>
    void navigate({ search: (before) => ({ ...before, ...changed }), replace: true, resetScroll: false });
}

function Narrowing({ search }: { readonly search: MapSearch }) {
  const targets = useQuery(queries.targets(search.estate));
  const change = useChange();
  const names = targets.data?.items.map(({ name }) => name) ?? [];
  const { target = '' } = search;
  const given = narrowingKeys.flatMap((key) => {
    const value = search[key];
    return value === undefined ? [] : [{ key, value }];
  });
  return (
    <search className="filters map-filters">
      <label className="field">
        <span>Target</span>
        <select
          className="select"
          value={target}
          onChange={({ target: { value } }) => change({ target: value || undefined, ...nothingChosen })}
        >
          <option value="">All</option>
          {[...new Set([...names, ...(target === '' ? [] : [target])])].map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <form
        className="field"
        onSubmit={(event) => {
          event.preventDefault();
          const typed = new FormData(event.currentTarget).get('focus');
          change({
            focus: typeof typed === 'string' && typed.trim() !== '' ? typed.trim() : undefined,
            ...nothingChosen,
          });
        }}
      >
        <label htmlFor="map-focus">Only the traffic of</label>
        <span className="map-focus">
          <input
            key={search.focus ?? ''}
            id="map-focus"
            name="focus"
            type="search"
            defaultValue={search.focus ?? ''}
            placeholder="web-0, core.web, internet"
            spellCheck={false}
            autoComplete="off"
          />
          <button type="submit" className="button">
            Show
          </button>
        </span>
      </form>
      {given.map(({ key, value }) => (
        <button
          key={key}
          type="button"
          className="chip map-chip"
          onClick={() => change({ [key]: undefined, ...nothingChosen })}
        >
          <span className="cut">
            {narrowing[key]} {value}
            <span className="hidden">: show all again</span>
          </span>
          <span aria-hidden="true">✕</span>
        </button>
      ))}
    </search>
  );
}

const nothingChosen: MapSearch = { edge: undefined, node: undefined };

function emptyText({ nodes, unknown, outsideGrants }: TrafficMap, search: MapSearch): ReactNode {
  if (nodes.some(({ kind }) => kind !== 'internet' && kind !== 'block')) return undefined;
  const isNarrow = search.target !== undefined || narrowingKeys.some((key) => search[key] !== undefined);
  return (
    <Notice title={isNarrow ? 'Nothing here has such traffic' : 'There is nothing to draw yet'}>
      <p>
        {isNarrow
          ? 'No instance that you may see has it. Remove a filter to see more.'
          : 'Setpoint has observed no network and no instance that you may see.'}
      </p>
      {unknown.slice(0, 5).map(({ scope, reason }) => (
        <p key={`${scope} ${reason}`}>
          {scope}: {reason}
        </p>
      ))}
      {outsideGrants ? <p>Your grants do not cover all of the estate.</p> : null}
    </Notice>
  );
}

interface ChosenProps {
  readonly ref: Ref<HTMLElement>;
  readonly shown: ShownMap;
  readonly search: MapSearch;
  close(): void;
}

function Chosen({ ref, shown: { edges, names }, search, close }: ChosenProps) {
  const edge = edges.find((one) => edgeId(one) === search.edge);
  const node = search.node === undefined ? undefined : names.get(search.node);
  if (edge !== undefined) return <ChosenEdge {...{ ref, edge, names, close }} estate={search.estate} />;
  return node === undefined ? null : <ChosenNode {...{ ref, node, edges, names, search, close }} />;
}

interface OutEdgesProps {
  readonly search: MapSearch;
  readonly count: number;
  change(changed: MapSearch): void;
}

const OutEdges = ({ search, count, change }: OutEdgesProps) => (
  <label className="map-out">
    <input
      type="checkbox"
      checked={search.out !== undefined}
      onChange={({ target: { checked } }) => change({ out: checked ? '1' : undefined, edge: undefined })}
    />
    Show the {count} {count === 1 ? 'edge' : 'edges'} out to the internet and to blocks
  </label>
);

interface TablesProps {
  readonly shown: ShownMap;
  readonly search: MapSearch;
  choose(chosen: MapSearch): void;
}

function Tables({ shown: { nodes, edges, names }, search, choose }: TablesProps) {
  // why: the drawing comes first, and the tables may have 900 rows
  const listed = useDeferredValue<readonly MapEdge[] | undefined>(edges, undefined);
  const places = useDeferredValue<readonly MapNode[] | undefined>(nodes, undefined);
  return (
    <>
      <Panel title="Traffic" aside={`${edges.length} ${edges.length === 1 ? 'edge' : 'edges, the worst first'}`}>
        {listed === undefined ? (
          <Loading subject="the traffic" />
        ) : (
          <TrafficTable edges={listed} names={names} chosen={search.edge} choose={(edge) => choose({ edge })} />
        )}
      </Panel>
      <Panel title="Places" aside={`${nodes.length} nodes`}>
        {places === undefined ? (
          <Loading subject="the places" />
        ) : (
          <PlacesTable nodes={places} names={names} estate={search.estate} choose={(node) => choose({ node })} />
        )}
      </Panel>
    </>
  );
}

const isOut = ({ to }: MapEdge, outside: ReadonlySet<string>): boolean => outside.has(to);

function shownEdges({ nodes, edges }: TrafficMap, withOut: boolean): readonly [readonly MapEdge[], number] {
  const kinds: ReadonlySet<MapNode['kind']> = new Set(['internet', 'block']);
  const outside = new Set(
    nodes.flatMap(({ id, kind, parent, scope }) =>
      kinds.has(kind) || (kind === 'rest' && parent === undefined && scope === undefined) ? [id] : [],
    ),
  );
  const out = edges.filter((edge) => isOut(edge, outside));
  return [withOut ? edges : edges.filter((edge) => !isOut(edge, outside)), out.length];
}

const hiddenNouns: Readonly<Record<TrafficMap['hidden'][number]['what'], string>> = {
  instances: 'instances',
  edges: 'edges',
  blocks: 'blocks of addresses',
  statuses: 'statuses',
};

/** Each leads to the resources in the inventory. */
const hiddenFilters: Readonly<Record<TrafficMap['hidden'][number]['what'], Readonly<Record<string, string>>>> = {
  instances: { kind: 'instance' },
  edges: { kind: 'firewall-rule' },
  blocks: { kind: 'firewall-rule' },
  statuses: { status: 'Failed,Missing,Drifted,Blocked,Paused' },
};

interface CaveatsProps {
  readonly map: TrafficMap;
  readonly search: MapSearch;
}

/** All that the map does not show, or does not know. */
function Caveats({
  map: { hidden, unknown, unknownCount, outsideGrants, observed },
  search: { estate, target },
}: CaveatsProps) {
  return (
    <ul className="map-caveats">
      <li className="quiet">
        {observed.at === undefined ? (
          'Not observed yet'
        ) : (
          <>
            Observed <When at={observed.at} />
          </>
        )}
        {observed.complete ? '' : ', incomplete'}
      </li>
      {hidden.map(({ what, count, reason }) => (
        <li key={what}>
          <Link to="/inventory" search={{ estate, target, ...hiddenFilters[what] }}>
            {count} {hiddenNouns[what]} not shown
          </Link>
          , because {reason}
        </li>
      ))}
      {outsideGrants ? <li>Your grants do not cover all of the estate: some ends may be outside of them.</li> : null}
      {unknownCount === 0 ? null : (
        <li>
          <details>
            <summary>
              The map may lack edges, for {unknownCount} {unknownCount === 1 ? 'reason' : 'reasons'}
            </summary>
            <ul>
              {unknown.map(({ scope, reason }) => (
                <li key={`${scope} ${reason}`}>
                  {scope}: {reason}
                </li>
              ))}
            </ul>
          </details>
        </li>
      )}
    </ul>
  );
}

const Legend = () => (
  <ul className="map-legend" aria-label="Legend">
    <li>
      <span className="line-sample is-exposing" aria-hidden="true" /> from the internet
    </li>
    <li>
      <span className="line-sample is-violating" aria-hidden="true" /> by a rule against a policy
    </li>
    <li>
      <span className="line-sample" aria-hidden="true" /> passes for certain
    </li>
    <li>
      <span className="line-sample is-uncertain" aria-hidden="true" /> unknown: it may pass
    </li>
  </ul>
);
