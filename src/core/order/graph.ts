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
type Yielding = (typeof yieldings)[number];

const yieldings = ['sooner', 'preferred', 'shut-rule', 'shut-machine', 'soft'] as const;

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
 * is behind it and in no circle with it.
 */
export function breakCycles({ nodes, gate, actions }: Graph): void {
  for (const yielding of yieldings) {
    const soft = softWaits(nodes, yielding);
    if (soft.length === 0) continue;
    const circleOf = circlesOf(nodes);
    const outside = new Map<number, number>();
    const outsideOf = (at: number, { needs, follows, seen }: Node): number => {
      const isOut = (one: number): boolean => circleOf[one] !== circleOf[at];
      const made =
        outside.get(at) ?? gate({ needs: needs.all.filter(isOut), follows: follows.all.filter(isOut), seen });
      outside.set(at, made);
      return made;
    };
    for (const { at, before } of soft) {
      const [node, other] = [nodes[at], nodes[before]];
      if (node === undefined || other === undefined || circleOf[at] !== circleOf[before]) continue;
      const as = node.needs.delete(before) ? 'needs' : 'follows';
      node.follows.delete(before);
      if (before >= actions.length) node[as].add(outsideOf(before, other));
    }
  }
}

function softWaits(nodes: readonly Node[], yielding: Yielding): readonly SoftWait[] {
  const waits: SoftWait[] = [];
  for (const [at, { soft }] of nodes.entries()) {
    if (soft === undefined) continue;
    for (const [before, how] of soft) if (how === yielding) waits.push({ at, before });
  }
  return waits;
}

interface SoftWait {
  readonly at: number;
  readonly before: number;
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
