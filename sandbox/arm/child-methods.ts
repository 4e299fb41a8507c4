import { refused } from './errors.ts';
import { checkConditions } from './etag.ts';
import { type Kind, seenRecord, trueRecord } from './kind.ts';
import { refuseWhileParentBusy, write } from './lifecycle.ts';
import { type Asked, type Method, method, type Reply } from './method.ts';
import { numbered, type PAGE_SIZES, page } from './paging.ts';
import type { Tracked } from './records.ts';
import { childPath, keyOf } from './resource-id.ts';
import { pathOf } from './tracked-methods.ts';

interface Child {
  readonly id: string;
  readonly path: string;
}

/** The parts that differ between types of children. A child lives in its parent's record. */
export interface ChildAnswers<P extends Tracked, C extends Child> {
  readonly parent: Kind<P>;
  /** Both in the path and as the action's own part: `subnets`. */
  readonly name: keyof typeof PAGE_SIZES & ('subnets' | 'securityRules' | 'routes' | 'virtualNetworkPeerings');
  readonly body: (asked: Asked, parent: P) => (child: C) => object;
  /** The child that a PUT asks for, checked by itself. */
  readonly read: (asked: Asked, parent: P, name: string) => C;
  readonly set: Children<P, C>;
  /** Updates other records that the children of this parent concern. */
  readonly onWritten?: (asked: Asked, parent: P) => void;
}

export interface Children<P, C> {
  /** Throws when the parent may not have these. */
  readonly check: (asked: Asked, parent: P, children: readonly C[]) => void;
  readonly of: (parent: P) => readonly C[];
  readonly with: (parent: P, children: readonly C[]) => P;
}

/** Children by their own URL: each write is one of the parent too, whose etag is theirs. */
export function childMethods<P extends Tracked, C extends Child>(answers: ChildAnswers<P, C>): readonly Method[] {
  const { parent: kind, name, set } = answers;
  const all = `/resourceGroups/{group}/providers/${kind.type}/{name}/${name}` as const;
  const one = `${all}/{child}` as const;
  const idOf = (asked: Asked<'group' | 'name' | 'child'>): string =>
    childPath({ path: pathOf(asked, kind) }, name, asked.parameters.child);
  return [
    method({ verb: 'PUT', path: one, action: `${name}.createOrUpdate`, answer: (asked) => put(asked, answers) }),
    method({
      verb: 'GET',
      path: one,
      action: `${name}.get`,
      answer: (asked) => {
        const parent = seenRecord(asked, kind, pathOf(asked, kind));
        const child = set.of(parent).find(({ id }) => id === keyOf(idOf(asked)));
        if (!child) throw refused('NotFound', `Resource ${idOf(asked)} not found.`, { details: [] });
        return shown(asked, answers, { parent, child, status: 200 });
      },
    }),
    method({
      verb: 'GET',
      path: all,
      action: `${name}.list`,
      answer: (asked) => {
        const parent = seenRecord(asked, kind, pathOf(asked, kind));
        return page(asked, { kind: name, items: numbered(set.of(parent)), render: answers.body(asked, parent) });
      },
    }),
    method({
      verb: 'DELETE',
      path: one,
      action: `${name}.delete`,
      answer: (asked) => {
        const parent = kind.table(asked).get(keyOf(pathOf(asked, kind)));
        const id = keyOf(idOf(asked));
        const child = parent && set.of(parent).find((each) => each.id === id);
        checkConditions({ headers: asked.request.headers, path: idOf(asked) }, child && parent?.version.etag);
        if (!parent || !child) return { status: 204 };
        refuseWhileParentBusy(asked, parent);
        const without = (last: P): P =>
          set.with(
            last,
            set.of(last).filter((each) => each.id !== id),
          );
        set.check(asked, parent, set.of(without(parent)));
        return { status: 202, headers: write(asked, kind, parent, { atEnd: without }) };
      },
    }),
  ];
}

function put<P extends Tracked, C extends Child>(
  asked: Asked<'group' | 'name' | 'child'>,
  answers: ChildAnswers<P, C>,
): Reply {
  const { parent: kind, set } = answers;
  const parent = kind.table(asked).get(keyOf(pathOf(asked, kind)));
  if (!parent) throw parentNotFound(asked.parameters.name);
  const child = answers.read(asked, parent, asked.parameters.child);
  const known = set.of(parent).some(({ id }) => id === child.id);
  checkConditions({ headers: asked.request.headers, path: child.path }, known ? parent.version.etag : undefined);
  refuseWhileParentBusy(asked, parent);
  const children = known
    ? set.of(parent).map((each) => (each.id === child.id ? child : each))
    : [...set.of(parent), child];
  set.check(asked, parent, children);
  const headers = write(asked, kind, set.with(parent, children));
  answers.onWritten?.(asked, trueRecord(asked, kind, parent.path));
  const next = trueRecord(asked, kind, parent.path);
  return shown(asked, answers, { parent: next, child, status: known ? 200 : 201, headers });
}

interface Shown<P, C> {
  readonly parent: P;
  readonly child: C;
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
}

function shown<P extends Tracked, C extends Child>(
  asked: Asked,
  answers: ChildAnswers<P, C>,
  { parent, child, status, headers = {} }: Shown<P, C>,
): Reply {
  return { status, headers: { ...headers, etag: parent.version.etag }, body: answers.body(asked, parent)(child) };
}

/** https://learn.microsoft.com/azure/azure-resource-manager/troubleshooting/error-parent-resource */
function parentNotFound(name: string): Error {
  return refused(
    'ParentResourceNotFound',
    `Can not perform requested operation on nested resource. Parent resource '${name}' not found.`,
  );
}
