import NewElk, { type ELK, type ElkNode } from 'elkjs/lib/elk-api.js';
import workerUrl from 'elkjs/lib/elk-worker.min.js?url';
import type { MapEdge, MapNode } from '../api.d.ts';

/** The place of a node within the one around it, in pixels. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export type Layout = ReadonlyMap<string, Box>;

interface Engine {
  readonly elk: ELK;
  /** Rejects once the worker has failed. */
  readonly failed: Promise<never>;
}

/** One worker for all maps: it computes, and the page stays alive. It starts while the page still asks for the map. */
let engine: Engine | undefined = startEngine();

function startEngine(): Engine {
  const { promise: failed, reject } = Promise.withResolvers<never>();
  // why: it can fail while nobody waits for a layout
  failed.catch(() => undefined);
  const startWorker = (): Worker => {
    const worker = new Worker(workerUrl);
    worker.onerror = (event) => {
      event.preventDefault();
      worker.terminate();
      engine = undefined;
      reject(new Error(event.message || 'its worker did not load'));
    };
    return worker;
  };
  return { elk: new NewElk({ workerUrl, workerFactory: startWorker }), failed };
}

/** The way from the internet to the machines behind it. */
export type Direction = 'RIGHT' | 'DOWN';

/** A worker that failed is replaced with the next call. */
export async function layoutOf(
  nodes: readonly MapNode[],
  edges: readonly MapEdge[],
  direction: Direction,
): Promise<Layout> {
  const graph = graphOf(nodes, edges, direction);
  engine ??= startEngine();
  const done = await Promise.race([engine.elk.layout(graph), engine.failed]);
  const boxes = new Map<string, Box>();
  const visit = ({ id, x = 0, y = 0, width = 0, height = 0, children = [] }: ElkNode): void => {
    boxes.set(id, { x, y, width, height });
    for (const child of children) visit(child);
  };
  for (const child of done.children ?? []) visit(child);
  return boxes;
}

const layers = {
  'elk.algorithm': 'layered',
  'elk.spacing.nodeNode': '18',
  'elk.layered.spacing.nodeNodeBetweenLayers': '90',
  'elk.spacing.componentComponent': '24',
  'elk.separateConnectedComponents': 'true',
  // why: the API has the worst first, and they belong to the left
  'elk.layered.cycleBreaking.strategy': 'MODEL_ORDER',
  'elk.layered.considerModelOrder.strategy': 'NODES_AND_EDGES',
  'elk.aspectRatio': '1.4',
};
const downwards = { 'elk.aspectRatio': '0.6', 'elk.layered.spacing.nodeNodeBetweenLayers': '60' };
const packed = { 'elk.algorithm': 'rectpacking', 'elk.spacing.nodeNode': '8' };

const packedIn = (direction: Direction) => ({ ...packed, 'elk.aspectRatio': direction === 'DOWN' ? '0.6' : '2.2' });

const padding = { 'elk.padding': '[top=46,left=14,bottom=14,right=14]' };

const first = { 'elk.layered.layering.layerConstraint': 'FIRST' };

const sizes = { outer: { width: 180, height: 50 }, instance: { width: 150, height: 40 } };

/** Each place is laid out by itself, by the edges between the places in it: those of its instances count for these. */
function graphOf(nodes: readonly MapNode[], edges: readonly MapEdge[], direction: Direction): ElkNode {
  const layered = { ...layers, 'elk.direction': direction, ...(direction === 'DOWN' ? downwards : {}) };
  const parents = new Map(nodes.map(({ id, parent }) => [id, parent]));
  const inside = Map.groupBy(nodes, ({ parent }) => parent);
  const lifted = liftedEdges(edges, parents);
  const elkOf = (node: MapNode): ElkNode => {
    const children = inside.get(node.id) ?? [];
    const size = node.kind === 'instance' ? sizes.instance : sizes.outer;
    const isFirst = node.kind === 'internet' || node.kind === 'block';
    if (children.length === 0) return { id: node.id, ...size, ...(isFirst ? { layoutOptions: first } : {}) };
    const own = lifted.get(node.id) ?? [];
    return {
      id: node.id,
      layoutOptions: { ...(own.length === 0 ? packedIn(direction) : layered), ...padding },
      children: children.map(elkOf),
      edges: own.map(([from, to]) => ({ id: `${from} > ${to}`, sources: [from], targets: [to] })),
    };
  };
  return {
    id: '',
    layoutOptions: layered,
    children: (inside.get(undefined) ?? []).map(elkOf),
    edges: (lifted.get(undefined) ?? []).map(([from, to]) => ({
      id: `${from} > ${to}`,
      sources: [from],
      targets: [to],
    })),
  };
}

type Pair = readonly [from: string, to: string];

/** By the place around both ends. Edges out to the internet would draw it to the right. */
function liftedEdges(
  edges: readonly MapEdge[],
  parents: ReadonlyMap<string, string | undefined>,
): ReadonlyMap<string | undefined, readonly Pair[]> {
  const lifted = new Map<string | undefined, Map<string, Pair>>();
  for (const { from, to } of edges) {
    if (to === 'internet' || to === 'other blocks' || to.startsWith('block ')) continue;
    const [sources, sinks] = [pathOf(from, parents), pathOf(to, parents)];
    const at = sources.findIndex((id, depth) => id !== sinks[depth]);
    const [source, sink] = [sources[at], sinks[at]];
    if (source === undefined || sink === undefined) continue;
    const around = sources[at - 1];
    const known = lifted.get(around) ?? new Map<string, Pair>();
    lifted.set(around, known.set(`${source} > ${sink}`, [source, sink]));
  }
  return new Map([...lifted].map(([around, pairs]) => [around, [...pairs.values()]]));
}

/** From the outermost place to the node itself. */
function pathOf(id: string, parents: ReadonlyMap<string, string | undefined>): readonly string[] {
  const path: string[] = [];
  for (let one: string | undefined = id; one !== undefined; one = parents.get(one)) path.unshift(one);
  return path;
}
