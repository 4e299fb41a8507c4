import type { Action } from '../action.ts';

/** The dependencies of steps. Positions below the number of actions are actions, those from there on are gates. */
export interface Graph {
  readonly actions: readonly Action[];
  readonly nodes: readonly Node[];
  /** `after` starts once `before` went well. */
  needs(after: number, before: number, how?: Yielding): void;
  /** `after` starts once `before` has ended, well or not. */
  follows(after: number, before: number, how?: Yielding): void;
  /**
   * A gate opens once all that it `needs` went well, and all that it `follows` has ended. `seen`: and once the cloud shows the rules
   * that were made.
   */
  gate(behind: Behind): number;
}

/**
 * A wait that is left out where nodes would wait for each other, those of the first sort first: what only comes sooner by it; what may
 * wait too much; a rule that waits so that it lets nothing through for a moment; a machine that does; and what may shut something.
 */
type Yielding = (typeof yieldings)[number][number];

/** `join`: as `soft`; of a machine that leaves a group, for those that join one. */
const yieldings = [['sooner'], ['preferred'], ['shut-rule'], ['shut-machine'], ['soft', 'join']] as const;

interface Behind {
  readonly needs?: readonly number[];
  readonly follows?: readonly number[];
  readonly seen?: boolean;
}

export interface Node {
  readonly needs: Positions;
  readonly follows: Positions;
  /** Those of both that may be left out; absent: none. */
  soft?: Map<number, Yielding>;
  readonly seen: boolean;
}

export function graphOf(actions: readonly Action[]): Graph {
  const nodes: Node[] = actions.map(() => emptyNode(false));
  const join = (kind: 'needs' | 'follows') => (after: number, before: number, how?: Yielding) => {
    const node = nodes[after];
    if (node === undefined || after === before) return;
    const isNew = !node.needs.has(before) && !node.follows.has(before);
    if (how !== undefined && !isNew) return;
    node[kind].add(before);
    if (how === undefined) node.soft?.delete(before);
    else node.soft = (node.soft ?? new Map()).set(before, how);
  };
  return {
    actions,
    nodes,
    needs: join('needs'),
    follows: join('follows'),
    gate: ({ needs = [], follows = [], seen = false }) =>
      nodes.push({ needs: new Positions(needs), follows: new Positions(follows), seen }) - 1,
  };
}

const emptyNode = (seen: boolean): Node => ({ needs: new Positions(), follows: new Positions(), seen });

/**
 * Leaves out the waits that yield, between nodes that would wait for each other. Who waited for a gate waits from then on for all that
 * is behind it and in no circle with it. Returns the actions of each circle in which a wait of the sort `join` was left out, by their
 * positions.
 */
export function breakCycles(graph: Graph): readonly (readonly number[])[] {
  return yieldings.flatMap((yielding) => {
    const soft = softWaits(graph.nodes, yielding);
    return soft.length === 0 ? [] : leaveOut(soft, graph);
  });
}

function leaveOut(soft: readonly SoftWait[], { nodes, gate, actions }: Graph): readonly (readonly number[])[] {
  const circles = { nodes, circleOf: circlesOf(nodes), first: actions.length };
  const { circleOf } = circles;
  const outside = new Map<number, number>();
  const joining = new Set<number | undefined>();
  const outsideOf = (at: number): number => {
    const made = outside.get(at) ?? gate(behindGates(at, circles));
    outside.set(at, made);
    return made;
  };
  for (const { at, before, how } of soft) {
    const node = nodes[at];
    if (node === undefined || circleOf[at] !== circleOf[before]) continue;
    const as = node.needs.delete(before) ? 'needs' : 'follows';
    node.follows.delete(before);
    if (before >= actions.length) node[as].add(outsideOf(before));
    if (how === 'join') joining.add(circleOf[at]);
  }
  if (joining.size === 0) return [];
  const inCircles = [...actions.keys()].filter((at) => joining.has(circleOf[at]));
  return [...Map.groupBy(inCircles, (at) => circleOf[at]).values()];
}

interface Circles {
  readonly nodes: readonly Node[];
  readonly circleOf: readonly (number | undefined)[];
  /** The position of the first gate. */
  readonly first: number;
}

/** All that is behind a gate and not in its circle, also behind other gates of that circle. */
function behindGates(at: number, { nodes, circleOf, first }: Circles): Behind {
  const behind = { needs: new Set<number>(), follows: new Set<number>() };
  const gates = { needs: new Set([at]), follows: new Set<number>() };
  const sort = (as: 'needs' | 'follows', all: readonly number[]): void => {
    for (const one of all)
      if (circleOf[one] !== circleOf[at]) behind[as].add(one);
      else if (one >= first) gates[as].add(one);
  };
  let seen = false;
  // why: the loop covers items that are added meanwhile; behind a gate, `follows` stays a wait that is not strict
  for (const as of ['needs', 'follows'] as const)
    for (const one of gates[as]) {
      const node = nodes[one] ?? emptyNode(false);
      seen ||= node.seen;
      sort(as, node.needs.all);
      sort('follows', node.follows.all);
    }
  return { needs: [...behind.needs], follows: [...behind.follows], seen };
}

function softWaits(nodes: readonly Node[], yielding: readonly Yielding[]): readonly SoftWait[] {
  const waits: SoftWait[] = [];
  for (const [at, { soft }] of nodes.entries()) {
    if (soft === undefined) continue;
    for (const [before, how] of soft) if (yielding.includes(how)) waits.push({ at, before, how });
  }
  return waits;
}

interface SoftWait {
  readonly at: number;
  readonly before: number;
  readonly how: Yielding;
}

/**
 * For each node the number of its strongly connected component, after Tarjan (https://doi.org/10.1137/0201010), with a stack of its
 * own: chains of gates are longer than the stack of calls.
 */
function circlesOf(nodes: readonly Node[]): readonly number[] {
  const walk: Walk = { index: [], low: [], circle: [], open: [], next: 0 };
  for (const root of nodes.keys()) if (walk.index[root] === undefined) visit(root, nodes, walk);
  return walk.circle;
}

interface Walk {
  readonly index: number[];
  readonly low: number[];
  readonly circle: number[];
  readonly open: number[];
  next: number;
}

function visit(root: number, nodes: readonly Node[], walk: Walk): void {
  const path = [enter(root, nodes, walk)];
  for (let last = path.at(-1); last !== undefined; last = path.at(-1)) {
    const { value: before, done } = last.rest.next();
    if (done) {
      path.pop();
      leave(last.at, walk);
      const parent = path.at(-1);
      if (parent !== undefined) lower(parent.at, walk.low[last.at] ?? 0, walk);
    } else if (walk.index[before] === undefined) path.push(enter(before, nodes, walk));
    else if (walk.circle[before] === undefined) lower(last.at, walk.index[before] ?? 0, walk);
  }
}

function enter(at: number, nodes: readonly Node[], walk: Walk) {
  walk.index[at] = walk.next;
  walk.low[at] = walk.next;
  walk.next += 1;
  walk.open.push(at);
  const { needs, follows } = nodes[at] ?? emptyNode(false);
  return { at, rest: [...needs.all, ...follows.all].values() };
}

function lower(at: number, to: number, { low }: Walk): void {
  low[at] = Math.min(low[at] ?? to, to);
}

function leave(at: number, { index, low, circle, open }: Walk): void {
  if (low[at] !== index[at]) return;
  for (let member = open.pop(); member !== undefined; member = open.pop()) {
    circle[member] = at;
    if (member === at) return;
  }
}

/** From this many on, a set finds a position faster than a list does. */
const many = 16;
const none: readonly number[] = [];

/**
 * Positions in the order of their arrival, each once. Most nodes of a graph wait for few others, and a set for each of them would
 * cost several times its content: so a short list stays an array.
 */
export class Positions {
  #known: readonly number[] | Set<number> = none;

  constructor(positions: Iterable<number> = []) {
    for (const position of positions) this.add(position);
  }

  get all(): readonly number[] {
    return this.#known instanceof Set ? [...this.#known] : this.#known;
  }

  has(position: number): boolean {
    return this.#known instanceof Set ? this.#known.has(position) : this.#known.includes(position);
  }

  add(position: number): void {
    if (this.#known instanceof Set) this.#known.add(position);
    else if (!this.#known.includes(position)) {
      // why: a list that grows by `push` reserves room for 17
      const known = [...this.#known, position];
      this.#known = known.length > many ? new Set(known) : known;
    }
  }

  /** True where it was there. */
  delete(position: number): boolean {
    if (this.#known instanceof Set) return this.#known.delete(position);
    const known = this.#known.filter((one) => one !== position);
    const wasThere = known.length < this.#known.length;
    this.#known = known;
    return wasThere;
  }
}
