import {
  type Edge,
  Handle,
  MarkerType,
  type Node,
  type NodeProps,
  Position,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
} from '@xyflow/react';
import '@xyflow/react/dist/base.css';
import { Fragment, useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import type { MapEdge, MapNode } from '../api.d.ts';
import { Notice } from '../components.tsx';
import { Loading } from '../query-state.tsx';
import { type Box, type Direction, type Layout, layoutOf } from './layout.ts';
import { edgeId, edgeLook, instancesText, nodeTone, shortTraffic, troubleText } from './words.ts';

interface CanvasProps {
  readonly nodes: readonly MapNode[];
  readonly edges: readonly MapEdge[];
  readonly chosen: { readonly edge: string | undefined; readonly node: string | undefined };
  chooseEdge(id: string): void;
  chooseNode(id: string): void;
}

/** The drawing. It is one picture for screen readers: the tables below it have the same, and take keys. */
export function Canvas(props: CanvasProps) {
  const { nodes, edges } = props;
  const [layout, setLayout] = useState<DirectedLayout>();
  const [failure, setFailure] = useState<string>();
  const [tries, setTries] = useState(0);
  const direction = useDirection();
  // biome-ignore lint/correctness/useExhaustiveDependencies: a person can try again
  useEffect(() => {
    let isOver = false;
    layoutOf(nodes, edges, direction).then(
      (boxes) => {
        if (isOver) return;
        setLayout({ boxes, direction });
        setFailure(undefined);
      },
      (error: unknown) => isOver || setFailure(error instanceof Error ? error.message : String(error)),
    );
    return () => {
      isOver = true;
    };
  }, [nodes, edges, direction, tries]);
  if (failure !== undefined)
    return (
      <Notice tone="attention" title="The drawing failed">
        <p>The reason: {failure}. The tables below have the same.</p>
        <button type="button" className="button" onClick={() => setTries(tries + 1)}>
          Try again
        </button>
      </Notice>
    );
  if (layout === undefined) return <Loading subject="the drawing" lines={6} />;
  return (
    <ReactFlowProvider>
      <Drawing {...props} {...layout} />
    </ReactFlowProvider>
  );
}

interface DirectedLayout {
  readonly boxes: Layout;
  readonly direction: Direction;
}

const narrow = window.matchMedia('(max-width: 800px)');

const onResize = (notify: () => void): (() => void) => {
  narrow.addEventListener('change', notify);
  return () => narrow.removeEventListener('change', notify);
};

/** On a phone the internet is at the top, else at the left. */
const useDirection = (): Direction => useSyncExternalStore(onResize, () => (narrow.matches ? 'DOWN' : 'RIGHT'));

/** A whole map on a phone would be too small to read: a person pans. There the buttons are over the top of the drawing. */
const viewOf = (direction: Direction) =>
  direction === 'DOWN'
    ? ({ padding: { top: '56px', x: 0.06, bottom: 0.06 }, minZoom: 0.4 } as const)
    : { padding: 0.06 };

/** Labels of more edges than this would cover each other. */
const mostLabels = 60;

function Drawing({
  nodes,
  edges,
  chosen,
  chooseEdge,
  chooseNode,
  boxes: layout,
  direction,
}: CanvasProps & DirectedLayout) {
  const drawn = useMemo(() => drawnNodes(nodes, edges, layout), [nodes, edges, layout]);
  const lines = useMemo(
    () => drawnEdges({ nodes, edges, layout, direction, chosen }),
    [nodes, edges, layout, direction, chosen],
  );
  const selected = useMemo(
    () => drawn.map((one) => (one.id === chosen.node ? { ...one, selected: true } : one)),
    [drawn, chosen.node],
  );
  const { fitView, zoomIn, zoomOut } = useReactFlow();
  const view = useRef({ direction, isOwn: false });
  useEffect(() => {
    // why: a newer answer leaves the view that a person has chosen
    if (layout.size === 0 || (view.current.isOwn && view.current.direction === direction)) return;
    view.current = { direction, isOwn: false };
    void fitView(viewOf(direction));
  }, [layout, direction, fitView]);
  const show = (isOwn: boolean, move: Promise<boolean>): void => {
    view.current.isOwn = isOwn;
    void move;
  };
  return (
    <>
      <div className="map-canvas" role="img" aria-label="The map. The tables below it have the same.">
        <ReactFlow
          nodes={selected}
          edges={lines}
          nodeTypes={nodeTypes}
          onEdgeClick={(_, { id }) => chooseEdge(id)}
          onNodeClick={(_, { id }) => chooseNode(id)}
          onMove={(event) => {
            // why: the moves of the console itself have no event
            if (event !== null) view.current.isOwn = true;
          }}
          nodesDraggable={false}
          nodesConnectable={false}
          nodesFocusable={false}
          edgesFocusable={false}
          disableKeyboardA11y
          zoomOnScroll={false}
          preventScrolling={false}
          zoomOnDoubleClick={false}
          minZoom={0.05}
          maxZoom={2}
          fitView
          fitViewOptions={viewOf(direction)}
          // why: its link would be a stop for keys within a picture
          proOptions={{ hideAttribution: true }}
        />
      </div>
      <div className="map-zoom">
        <button type="button" className="button" aria-label="Zoom in" onClick={() => show(true, zoomIn())}>
          +
        </button>
        <button type="button" className="button" aria-label="Zoom out" onClick={() => show(true, zoomOut())}>
          −
        </button>
        <button
          type="button"
          className="button"
          onClick={() => show(false, fitView({ ...viewOf(direction), minZoom: undefined }))}
        >
          All
        </button>
      </div>
    </>
  );
}

interface PlaceData extends Record<string, unknown> {
  readonly node: MapNode;
  readonly isContainer: boolean;
  /** The traffic among its own instances. */
  readonly within: string | undefined;
}

type Place = Node<PlaceData, 'place'>;

function PlaceNode({ data: { node, isContainer, within } }: NodeProps<Place>) {
  const { kind, name, instances, unknown } = node;
  const tone = nodeTone(node);
  const trouble = troubleText(node);
  const details = [
    kind === 'instance' || instances === 0 ? '' : instancesText(instances),
    trouble,
    within === undefined ? '' : `within: ${within}`,
    unknown.length === 0 ? '' : 'edges unknown',
  ].filter((one) => one !== '');
  return (
    <div
      className={`place place-${kind}${isContainer ? ' is-container' : ''}${tone === undefined ? '' : ` tone-${tone}`}`}
      title={`${name}\n${details.join(', ')}`}
    >
      {handles.map(({ id, position }) => (
        <Fragment key={id}>
          <Handle type="target" id={id} position={position} isConnectable={false} />
          <Handle type="source" id={id} position={position} isConnectable={false} />
        </Fragment>
      ))}
      <span className="place-name cut">{name}</span>
      <span className="place-details cut">{details.join(' · ')}</span>
    </div>
  );
}

const handles = [
  { id: 'left', position: Position.Left },
  { id: 'right', position: Position.Right },
  { id: 'top', position: Position.Top },
  { id: 'bottom', position: Position.Bottom },
] as const;

const nodeTypes = { place: PlaceNode };

/** Places around others come first, as the API has them. */
function drawnNodes(nodes: readonly MapNode[], edges: readonly MapEdge[], layout: Layout): Place[] {
  const containers = new Set(nodes.map(({ parent }) => parent));
  const within = new Map(edges.flatMap((edge) => (edge.from === edge.to ? [[edge.from, shortTraffic(edge)]] : [])));
  return nodes.flatMap((node): Place[] => {
    const box = layout.get(node.id);
    if (box === undefined) return [];
    const { x, y, width, height } = box;
    return [
      {
        id: node.id,
        type: 'place',
        position: { x, y },
        width,
        height,
        data: { node, isContainer: containers.has(node.id), within: within.get(node.id) },
        ...(node.parent === undefined ? {} : { parentId: node.parent }),
      },
    ];
  });
}

interface LinesProps extends Pick<CanvasProps, 'nodes' | 'edges' | 'chosen'> {
  readonly layout: Layout;
  readonly direction: Direction;
}

function drawnEdges({ nodes, edges, layout, direction, chosen }: LinesProps): Edge[] {
  const sides = sidesBy(nodes, layout, direction);
  const visible = edges.filter(({ from, to }) => from !== to && layout.has(from) && layout.has(to));
  return visible.map((edge): Edge => {
    const id = edgeId(edge);
    const isChosen = id === chosen.edge;
    const isOfChosen = chosen.node !== undefined && (edge.from === chosen.node || edge.to === chosen.node);
    return {
      id,
      source: edge.from,
      target: edge.to,
      ...sides(edge),
      className: `${edgeLook(edge)}${isChosen ? ' is-chosen' : ''}`,
      selected: isChosen,
      zIndex: isChosen ? 1001 : 1000,
      markerEnd: { type: MarkerType.ArrowClosed },
      ...(visible.length <= mostLabels || isChosen || isOfChosen
        ? { label: shortTraffic(edge), labelBgPadding: [4, 2], labelBgBorderRadius: 3 }
        : {}),
    };
  });
}

/** An edge leaves a node on the side of its other end, so that it covers neither. */
function sidesBy(nodes: readonly MapNode[], layout: Layout, direction: Direction) {
  const [before, after] = direction === 'DOWN' ? ['top', 'bottom'] : ['left', 'right'];
  const parents = new Map(nodes.map(({ id, parent }) => [id, parent]));
  const startOf = (box: Box | undefined): number => (direction === 'DOWN' ? box?.y : box?.x) ?? 0;
  const spans = new Map<string, readonly [start: number, end: number]>();
  for (const { id } of nodes) {
    let start = 0;
    for (let one: string | undefined = id; one !== undefined; one = parents.get(one)) start += startOf(layout.get(one));
    const { width = 0, height = 0 } = layout.get(id) ?? {};
    spans.set(id, [start, start + (direction === 'DOWN' ? height : width)]);
  }
  return ({ from, to }: MapEdge) => {
    const [[start, end], [other, otherEnd]] = [spans.get(from) ?? [0, 0], spans.get(to) ?? [0, 0]];
    if (other >= end) return { sourceHandle: after, targetHandle: before };
    if (otherEnd <= start) return { sourceHandle: before, targetHandle: after };
    return { sourceHandle: after, targetHandle: after };
  };
}
